// Overview: limiters, one row each, from their keys. Keys of one limiter (inspect/limiter_keys.h)
// share a row. Owns its rows; for a whole Redis choose them first (inspect/survey.h). Pure; one
// thread.
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

  // In no order. They live as long as the overview and move with no add().
  std::vector<const LimiterRow*> rows() const;

 private:
  void add_key(LimiterRow& row, const KeyState& state, const KeyReading& reading,
               std::int64_t now_us) const;

  Policy policy_;
  std::unordered_map<std::string, LimiterRow> rows_;
};

// The first `most` of these rows: most used first, then by name.
std::vector<const LimiterRow*> most_used(std::vector<const LimiterRow*> rows, std::size_t most);

}  // namespace rlctl
