// The data above and below the rows of a live view: the sampling as a whole. Plain values; times
// are µs since 1970 by the server's clock.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/limiter_row.h"

namespace rlctl {

struct WatchStatus {
  std::string server;   // its address, without the password, and its master's
  std::string pattern;  // raw
  std::string policy;   // "20 per 1m"; empty: none given
  std::int64_t now_us = 0;
  std::int64_t limiters = 0;
  std::int64_t other_keys = 0;  // not used by a limiter
  std::int64_t keys = 0;        // of the database; -1: unknown
  double pass = 0;              // progress of the current scan of all keys, 0 to 1
  std::int64_t passes = 0;      // finished scans of all keys
  bool is_live = true;          // it goes on: the load is worth a word
  double load = 0;              // share of the server's time that the sampling takes
  double load_limit = 0;
  std::int64_t forgotten = 0;  // limiters that did not fit into memory
  std::string trouble;         // a message for people, escaped; empty: no problem
};

}  // namespace rlctl
