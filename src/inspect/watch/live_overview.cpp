#include "inspect/watch/live_overview.h"

#include <algorithm>

#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"
#include "inspect/overview.h"

namespace rlctl {
namespace {

std::optional<double> greater(std::optional<double> a, std::optional<double> b) {
  return a.value_or(-1) >= b.value_or(-1) ? a : b;
}

// Rates are measured over this time: over a shorter one they jump between none and many.
constexpr std::int64_t kRateUs = 5'000'000;

}  // namespace

std::optional<double> LiveOverview::Key::rate(std::optional<double> Admissions::*what) const {
  std::optional<double> count;
  for (const KeySpan& span : spans)
    if (span.seen.*what) count = count.value_or(0) + *(span.seen.*what);
  if (!count) return count;
  return *count * 1e6 / static_cast<double>(spans.back().ended_us - spans.front().began_us);
}

std::optional<std::int64_t> LiveOverview::newest_us(const std::string& key) const {
  const auto limiter = limiters_.find(limiter_name(reader_.layouts(), key));
  if (limiter == limiters_.end()) return std::nullopt;
  const auto found = limiter->second.keys.find(key);
  if (found == limiter->second.keys.end()) return std::nullopt;
  return found->second.look.newest_us;
}

bool LiveOverview::meet(const std::string& key, std::int64_t since_us) {
  const auto limiter = limiters_.find(limiter_name(reader_.layouts(), key));
  if (limiter == limiters_.end()) return false;
  const auto found = limiter->second.keys.find(key);
  if (found == limiter->second.keys.end() || found->second.look.at_us < since_us) return false;
  limiter->second.pass = pass_;
  return true;
}

void LiveOverview::remove(const std::string& key) {
  const auto found = limiters_.find(limiter_name(reader_.layouts(), key));
  if (found == limiters_.end()) return;
  Limiter& limiter = found->second;
  limiter.keys.erase(key);
  std::erase_if(limiter.together, [&](const KeyState& state) { return state.key == key; });
  if (limiter.flag_key == key) {
    limiter.flag_key.clear();
    limiter.flag = {};
    limiter.flag_layout = {};
  }
  if (limiter.keys.empty() && limiter.flag_key.empty()) limiters_.erase(found);
}

// Keys that are read together: the first of them stands for all.
void LiveOverview::add_together(Limiter& limiter, const KeyState& state, const KeyReading& reading,
                                std::int64_t now_us, std::optional<std::int64_t> younger) {
  const auto known = std::ranges::find(limiter.together, state.key, &KeyState::key);
  if (known == limiter.together.end())
    limiter.together.push_back(state);
  else
    *known = state;
  const KeyState& first = limiter.together.front();
  if (first.key != state.key) {
    Key& other = limiter.keys[state.key];
    other.look = {now_us, reading.shape, std::nullopt, std::nullopt, std::nullopt};
    other.ttl_ms = state.ttl_ms;
    other.hides_expiry = !state.expiry_problem.empty();
    other.problem.clear();
  }
  add_key(limiter, first, reader_.read_together(limiter.together, {policy_, now_us}), now_us,
          younger);
}

void LiveOverview::add_key(Limiter& limiter, const KeyState& state, const KeyReading& reading,
                           std::int64_t now_us, std::optional<std::int64_t> younger) {
  KeyLook look{now_us, reading.shape, reading.kind, use_of(state, reading), std::nullopt};
  if (!state.entries.empty()) look.newest_us = state.entries.back().at_us;
  Key& key = limiter.keys[state.key];
  if (key.look.at_us > 0 && now_us > key.look.at_us) {
    key.spans.push_back(
        {key.look.at_us, now_us,
         admissions_between(key.look, look, younger, reading.policy_under(policy_))});
    std::erase_if(key.spans, [&](const KeySpan& span) {
      return span.began_us < now_us - kRateUs && span.ended_us < now_us;
    });
  }
  key.look = look;
  key.ttl_ms = state.ttl_ms;
  key.hides_expiry = !state.expiry_problem.empty();
  key.problem.clear();
  key.rule_in_doubt = reading.rule_in_doubt && key.look.used;
  key.guess = reading.guess || key.rule_in_doubt;
  key.left = reading.layout.left;
  key.layouts = reading.layout.names;
  key.client = reading.layout.client;
  key.value = (key.look.used && !key.guess) || key.left ? "" : short_value_of(state);
  key.never_reset = reading.needs_expiry() && state.ttl_ms == kNoExpiry;
  key.frees_at_us = reading.frees_us;
  if (key.frees_at_us) *key.frees_at_us += now_us;
  key.limit = reading.limit_under(policy_);
  key.fields_say = reading.fields_say;
}

void LiveOverview::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us,
                       std::optional<std::int64_t> younger) {
  if (!state.exists()) return remove(state.key);
  const bool is_read = state.problem.empty();
  const bool flag = is_block_flag(state, reading);
  if (is_read && !flag && reading.shape == Shape::none) {
    ++other_keys_so_far_;
    return remove(state.key);
  }
  if (!is_read) remove(state.key);  // what was known of it may be so no more
  const BlockFlag set = flag ? flag_of(state, now_us) : BlockFlag{};
  const std::string name = limiter_name(reader_.layouts(), state.key);
  if (!is_known_or_greater(name, urgency_of(state, reading, set, policy_, now_us))) return;
  Limiter& limiter = limiters_[name];
  limiter.pass = pass_;
  if (flag) {
    limiter.flag = set;
    limiter.flag_layout = reading.layout;
    limiter.flag_key = state.key;
    limiter.keys.erase(state.key);  // where it is while it can't be read
  }
  if (!is_read)
    limiter.keys[state.key].problem = state.problem;
  else if (!flag && reading.layout.has_companions)
    add_together(limiter, state, reading, now_us, younger);
  else if (!flag)
    add_key(limiter, state, reading, now_us, younger);
  if (limiters_.size() > 2 * most_) make_room(now_us);  // rarely: it ranks all of them
}

// A limiter that make_room() would drop at once is not added at all.
bool LiveOverview::is_known_or_greater(const std::string& name, Urgency urgency) {
  if (!least_kept_ || urgency > *least_kept_ || limiters_.contains(name)) return true;
  ++forgotten_;
  return false;
}

// The least urgent are dropped.
void LiveOverview::make_room(std::int64_t now_us) {
  std::vector<std::pair<Urgency, const std::string*>> by_use;
  for (const auto& [name, limiter] : limiters_)
    by_use.emplace_back(urgency_of(row_of(name, limiter), now_us), &name);
  const auto kept = by_use.begin() + static_cast<std::ptrdiff_t>(most_);
  std::nth_element(by_use.begin(), kept, by_use.end(), std::greater{});
  least_kept_ = kept->first;
  for (auto least = kept; least != by_use.end(); ++least) {
    const std::string name = *least->second;
    limiters_.erase(name);
    ++forgotten_;
  }
}

void LiveOverview::begin_pass() {
  ++pass_;
  other_keys_so_far_ = 0;
  least_kept_.reset();
}

void LiveOverview::end_pass() {
  std::erase_if(limiters_, [this](const auto& entry) { return entry.second.pass != pass_; });
  other_keys_ = other_keys_so_far_;
}

LimiterRow LiveOverview::row_of(const std::string& name, const Limiter& limiter) {
  LimiterRow row;
  row.name = name;
  for (const auto& [key_name, key] : limiter.keys) {
    if (!key.problem.empty()) {
      row.problem = key.problem;
      continue;
    }
    const bool first = row.keys++ == 0;
    row.name = first ? key_name : name;
    LimiterRow of_key;
    of_key.used = key.look.used;
    of_key.limit = key.limit;
    of_key.rule_in_doubt = key.rule_in_doubt;
    const bool more = is_nearer_full(of_key, row);
    if (first || more || (key.left && !row.left)) {
      row.shape = key.look.shape;
      row.used = key.look.used;
      row.left = key.left;
      row.layouts = key.layouts;
      row.client = key.client;
      row.rule_in_doubt = key.rule_in_doubt;
      row.guess = key.guess;
      row.value = key.value;
      row.limit = key.limit;
      row.frees_at_us = key.frees_at_us;
    }
    // One request may count in several windows, but it is one admission.
    row.allowed_per_s = greater(row.allowed_per_s, key.rate(&Admissions::allowed));
    row.denied_per_s = greater(row.denied_per_s, key.rate(&Admissions::denied));
    row.add_expiry(key.ttl_ms, key.hides_expiry);
    row.never_reset = row.never_reset || key.never_reset;
    row.fields_say = std::max(row.fields_say, key.fields_say);
  }
  set_flag(row, limiter.flag, limiter.flag_layout);
  return row;
}

std::vector<LimiterRow> LiveOverview::rows() const {
  std::vector<LimiterRow> rows;
  rows.reserve(limiters_.size());
  for (const auto& [name, limiter] : limiters_) rows.push_back(row_of(name, limiter));
  return rows;
}

std::vector<std::string> LiveOverview::keys_of(const std::string& name) const {
  const auto found = limiters_.find(limiter_name(reader_.layouts(), name));
  if (found == limiters_.end()) return {};
  std::vector<std::string> keys;
  for (const auto& [key, known] : found->second.keys) keys.push_back(key);
  if (!found->second.flag_key.empty()) keys.push_back(found->second.flag_key);
  return keys;
}

}  // namespace rlctl
