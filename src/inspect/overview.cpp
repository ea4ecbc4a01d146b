#include "inspect/overview.h"

#include <algorithm>
#include <set>

#include "inspect/limiter_keys.h"

namespace rlctl {

void set_use(LimiterRow& row, const KeyState& state, const KeyReading& reading,
             const Policy& policy, std::int64_t now_us) {
  row.shape = reading.shape;
  row.used = use_of(state, reading);
  row.left = reading.layout.left;
  row.layouts = reading.layout.names;
  row.client = reading.layout.client;
  row.client_may_be = reading.layout.client_may_be;
  row.rule_in_doubt = reading.rule_in_doubt && row.used;
  row.guess = reading.guess || row.rule_in_doubt;
  row.value = (row.used && !row.guess) || row.left ? "" : short_value_of(state);
  row.frees_at_us = reading.frees_us;
  if (row.frees_at_us) *row.frees_at_us += now_us;
  row.limit = reading.limit_under(policy);
}

void set_flag(LimiterRow& row, const BlockFlag& flag, const LayoutReading& layout) {
  row.block = flag;
  if (!layout.blocks) return;
  row.block.may_be_other = false;
  row.layouts = layout.names;
  row.client = layout.client;
}

void add_key(LimiterRow& row, const std::string& name, const KeyState& state,
             const KeyReading& reading, const Policy& policy, std::int64_t now_us) {
  if (!state.problem.empty()) {
    row.problem = state.problem;
    return;
  }
  row.add_expiry(state.ttl_ms, !state.expiry_problem.empty());
  row.never_reset = row.never_reset || (reading.needs_expiry() && state.ttl_ms == kNoExpiry);
  row.fields_say = std::max(row.fields_say, reading.fields_say);
  row.name = row.keys++ == 0 ? state.key : name;
  const auto is_nearer = [&] {
    LimiterRow of_key;
    set_use(of_key, state, reading, policy, now_us);
    return is_nearer_full(of_key, row);
  };
  if (row.shape == Shape::none || is_nearer()) set_use(row, state, reading, policy, now_us);
}

void Overview::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  if (!state.exists()) return;  // expired since SCAN saw it
  const bool flag = is_block_flag(state, reading);
  if (!flag && reading.shape == Shape::none && state.problem.empty()) return;  // of no limiter
  const std::string name = limiter_name(reader_.layouts(), state.key);
  LimiterRow& row = rows_[name];
  if (row.name.empty()) row.name = name;
  if (flag) {
    set_flag(row, flag_of(state, now_us), reading.layout);
    if (!state.problem.empty()) row.problem = state.problem;
    return;
  }
  add_key(row, name, state, reading, policy_, now_us);
  if (!reading.layout.has_companions) return;
  std::vector<KeyState>& states = together_[name];
  states.push_back(state);
  const KeyReading all = reader_.read_together(states, {policy_, now_us});
  if (!all.layout.fits()) return;
  set_use(row, states.front(), all, policy_, now_us);
  row.never_reset = all.needs_expiry() && row.ttl_ms == kNoExpiry;
}

std::vector<const LimiterRow*> Overview::rows() const {
  std::vector<const LimiterRow*> rows;
  rows.reserve(rows_.size());
  for (const auto& [name, row] : rows_) rows.push_back(&row);
  return rows;
}

void Overview::keep_most_used(std::size_t most, std::int64_t now_us) {
  const std::vector<const LimiterRow*> chosen = most_used(rows(), most, now_us);
  const std::set<const LimiterRow*> kept(chosen.begin(), chosen.end());
  std::erase_if(rows_, [&](const auto& row) { return !kept.contains(&row.second); });
  std::erase_if(together_, [&](const auto& keys) { return !rows_.contains(keys.first); });
}

Urgency urgency_of(const KeyState& state, const KeyReading& reading, const BlockFlag& flag,
                   const Policy& policy, std::int64_t now_us) {
  LimiterRow row;
  row.block = flag;
  row.block.may_be_other = flag.may_be_other && !reading.layout.blocks;
  if (!flag.key.empty() || !state.problem.empty()) return urgency_of(row, now_us);
  row.used = use_of(state, reading);
  row.left = reading.layout.left;
  row.limit = reading.limit_under(policy);
  row.fields_say = reading.fields_say;
  return urgency_of(row, now_us);
}

std::vector<const LimiterRow*> most_used(std::vector<const LimiterRow*> rows, std::size_t most,
                                         std::int64_t now_us) {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::ranges::partial_sort(rows, end, [&](const LimiterRow* a, const LimiterRow* b) {
    const Urgency of_a = urgency_of(*a, now_us), of_b = urgency_of(*b, now_us);
    return of_a != of_b ? of_a > of_b : a->name < b->name;
  });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace rlctl
