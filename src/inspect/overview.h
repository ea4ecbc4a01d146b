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
  // `policy`: gives the rows their limit; without one (limit 0) they have only what the keys tell.
  // Borrows the reader.
  Overview(const Policy& policy, KeyReader& reader) : policy_(policy), reader_(reader) {}

  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us);

  // Forgets the rows that most_used() would not return.
  void keep_most_used(std::size_t most, std::int64_t now_us);

  // In no order. They live until they are forgotten, and move with no add().
  std::vector<const LimiterRow*> rows() const;

 private:
  Policy policy_;
  KeyReader& reader_;
  std::unordered_map<std::string, LimiterRow> rows_;
  std::unordered_map<std::string, std::vector<KeyState>> together_;  // keys read together, by row
};

// Sets what a row says of use and limit, by one key or by all that are read together.
void set_use(LimiterRow& row, const KeyState& state, const KeyReading& reading,
             const Policy& policy, std::int64_t now_us);
// Sets what a row says of its flag.
void set_flag(LimiterRow& row, const BlockFlag& flag, const LayoutReading& layout);
// Adds a key to the row of its limiter: the greatest use counts. `name`: of the limiter.
void add_key(LimiterRow& row, const std::string& name, const KeyState& state,
             const KeyReading& reading, const Policy& policy, std::int64_t now_us);

// The urgency of a limiter as far as one of its keys tells. `flag`: not set if the key is none.
Urgency urgency_of(const KeyState& state, const KeyReading& reading, const BlockFlag& flag,
                   const Policy& policy, std::int64_t now_us);

// The first `most` of these rows: the most urgent first, then by name.
std::vector<const LimiterRow*> most_used(std::vector<const LimiterRow*> rows, std::size_t most,
                                         std::int64_t now_us);

}  // namespace rlctl
