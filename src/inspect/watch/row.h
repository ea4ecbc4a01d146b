// The data of a live view: one limiter, and the sampling as a whole. Plain values; names are raw
// bytes (escape them before display); times are µs since 1970 by the server's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rlctl {

struct WatchRow {
  std::string name;
  std::string kind;  // log, counter, time, bucket; "flag only": it has only a block flag
  int keys = 0;      // without the flag
  std::optional<double> used;
  std::optional<double> limit;          // empty: no policy was given
  std::optional<double> allowed_per_s;  // empty: the state does not show it
  std::optional<double> denied_per_s;
  std::optional<std::int64_t> frees_at_us;  // when one more request is admitted, or the window ends
  bool blocked = false;
  std::optional<std::int64_t> block_ends_us;  // empty while blocked: never
  bool stuck = false;                         // one of its keys never expires
  std::string problem;                        // why it cannot be read: raw bytes

  bool is_blocked_at(std::int64_t now_us) const {
    return blocked && (!block_ends_us || *block_ends_us > now_us);
  }
  bool is_full() const { return used && limit && *used >= *limit; }
};

// The data above and below the rows.
struct WatchStatus {
  std::string server;   // its address, without the password
  std::string pattern;  // raw
  std::string policy;   // "20 per 1m"; empty: none given
  std::int64_t now_us = 0;
  std::int64_t limiters = 0;
  std::int64_t other_keys = 0;  // not used by a limiter
  std::int64_t keys = 0;        // of the database; -1: unknown
  double pass = 0;              // progress of the current scan of all keys, 0 to 1
  std::int64_t passes = 0;      // finished scans of all keys
  double load = 0;              // share of the server's time that the sampling takes
  double load_limit = 0;
  std::int64_t forgotten = 0;  // limiters that did not fit into memory
  std::string trouble;         // a message for people, escaped; empty: no problem
};

}  // namespace rlctl
