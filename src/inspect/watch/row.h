// What a live view knows of one limiter, and of the sampling as a whole. Plain data; names are raw
// bytes (escape them where they are shown), times µs since 1970 by the server's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rlctl {

struct WatchRow {
  std::string name;
  std::string kind;  // log, counter, time, bucket; "flag only": nothing but a block flag
  int keys = 0;      // the flag apart
  std::optional<double> used;
  std::optional<double> limit;          // empty: no policy was given
  std::optional<double> allowed_per_s;  // empty: the state does not tell
  std::optional<double> denied_per_s;
  std::optional<std::int64_t> frees_at_us;  // when one more is admitted, or the window ends
  bool blocked = false;
  std::optional<std::int64_t> block_ends_us;  // empty while blocked: never
  bool stuck = false;                         // a key of it never expires
  std::string problem;                        // why it can't be read: raw

  bool is_blocked_at(std::int64_t now_us) const {
    return blocked && (!block_ends_us || *block_ends_us > now_us);
  }
  bool is_full() const { return used && limit && *used >= *limit; }
};

// What stands above and below the rows.
struct WatchStatus {
  std::string server;   // where it is: never the password
  std::string pattern;  // raw
  std::string policy;   // "20 per 1m"; empty: none given
  std::int64_t now_us = 0;
  std::int64_t limiters = 0;
  std::int64_t other_keys = 0;  // of no limiter
  std::int64_t keys = 0;        // of the database; -1: not told
  double pass = 0;              // how far the present look at all keys has come, 0 to 1
  std::int64_t passes = 0;      // looks at all keys so far
  double load = 0;              // share of the server's time that the sampling takes
  double load_limit = 0;
  std::int64_t forgotten = 0;  // limiters beyond what is kept in memory
  std::string trouble;         // words for people, escaped; empty: all is well
};

}  // namespace rlctl
