// Overview: the limiters of a whole Redis, one row each, collected while SCAN runs. Keys of one
// limiter (inspect/limiter_keys.h) share a row. Owns its rows: memory grows with the number of
// limiters, not with their content. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspect/block_flag.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"

namespace rlctl {

struct OverviewRow {
  std::string name;  // of the limiter, or of its key if there is only one
  int keys = 0;      // without the flag
  Shape shape = Shape::none;
  std::optional<double> used;    // the maximum of its keys: admissions, entries, a counter's value
  std::int64_t ttl_ms = kNoKey;  // the longest; kNoExpiry: at least one never expires
  BlockFlag block;
  std::string problem;  // why one of its keys can't be read: raw

  bool is_stuck() const { return ttl_ms == kNoExpiry || (block.is_set && !block.left_us); }
};

class Overview {
 public:
  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us);

  // Most used first, then by name.
  std::vector<OverviewRow> rows() const;

  std::int64_t other_keys() const { return other_keys_; }  // of no limiter

 private:
  std::map<std::string, OverviewRow> rows_;
  std::int64_t other_keys_ = 0;
};

}  // namespace rlctl
