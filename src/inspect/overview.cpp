#include "inspect/overview.h"

#include <algorithm>

#include "inspect/limiter_keys.h"

namespace rlctl {

void Overview::add_key(LimiterRow& row, const KeyState& state, const KeyReading& reading,
                       std::int64_t now_us) const {
  const std::optional<double> used = use_of(state, reading);
  row.ttl_ms = longer_ttl_ms(row.ttl_ms, state.ttl_ms);
  row.never_reset = row.never_reset || (reading.needs_expiry() && state.ttl_ms == kNoExpiry);
  row.name = row.keys++ == 0 ? state.key : std::string(limiter_name(state.key));
  if (row.shape != Shape::none && used.value_or(-1) <= row.used.value_or(-1)) return;
  row.shape = reading.shape;
  row.used = used;
  row.guess = reading.guess;
  row.value = used ? "" : short_value_of(state);
  row.frees_at_us = reading.frees_us;
  if (row.frees_at_us) *row.frees_at_us += now_us;
  if (policy_.limit > 0) row.limit = static_cast<double>(reading.most_used(policy_));
}

void Overview::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  if (!state.exists()) return;  // expired since SCAN saw it
  const bool flag = is_block_flag(state);
  if (!flag && reading.shape == Shape::none && state.problem.empty()) return;  // of no limiter
  const std::string name(limiter_name(state.key));
  LimiterRow& row = rows_[name];
  if (row.name.empty()) row.name = name;
  if (!state.problem.empty())
    row.problem = state.problem;
  else if (flag)
    row.block = flag_of(state, now_us);
  else
    add_key(row, state, reading, now_us);
}

std::vector<const LimiterRow*> Overview::rows() const {
  std::vector<const LimiterRow*> rows;
  rows.reserve(rows_.size());
  for (const auto& [name, row] : rows_) rows.push_back(&row);
  return rows;
}

std::vector<const LimiterRow*> most_used(std::vector<const LimiterRow*> rows, std::size_t most) {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::ranges::partial_sort(rows, end, [](const LimiterRow* a, const LimiterRow* b) {
    const double more = a->used.value_or(-1) - b->used.value_or(-1);
    return more != 0 ? more > 0 : a->name < b->name;
  });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace rlctl
