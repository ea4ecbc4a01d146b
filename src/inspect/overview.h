// Overview: the limiters of a whole Redis, one row each, collected while SCAN runs. Keys of one
// limiter (inspect/limiter_keys.h) share a row. Owns its rows: memory grows with the number of
// limiters, not with their content. Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspect/limiter_row.h"

namespace rlctl {

class Overview {
 public:
  // `policy`: gives the rows their limit; without one (limit 0) they have none.
  explicit Overview(const Policy& policy = {}) : policy_(policy) {}

  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us);

  // Most used first, then by name. They live as long as the overview and move with no add().
  std::vector<const LimiterRow*> rows() const;

  std::int64_t other_keys() const { return other_keys_; }  // of no limiter

 private:
  void add_key(LimiterRow& row, const KeyState& state, const KeyReading& reading,
               std::int64_t now_us) const;

  Policy policy_;
  std::unordered_map<std::string, LimiterRow> rows_;  // hundreds of thousands
  std::int64_t other_keys_ = 0;
};

}  // namespace rlctl
