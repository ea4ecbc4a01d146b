#include "inspect/doctor/key_exam.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"
#include "io/redis/deployment/hash_slot.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostFamilies = 10'000;
constexpr std::size_t kSample = 200;
constexpr std::int64_t kLongWindows = 10;

}  // namespace

std::string family_of(std::string_view key) {
  std::string family;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::size_t close = key[i] == '{' ? key.find('}', i) : key.npos;
    if (close != key.npos) {
      family += "{#}";
      i = close;
    } else if (!is_digit(key[i])) {
      family += key[i];
    } else if (!family.ends_with('#')) {
      family += '#';
    }
  }
  return family;
}

void KeyExam::add_expiry(Family& family, const KeyState& state, const KeyReading& reading) const {
  const std::int64_t window_us = plan_.policy.window_us;
  if (state.ttl_ms >= 0) {
    ++family.expiring;
    if (window_us > 0 && us_of_ms(state.ttl_ms) > kLongWindows * window_us)
      family.long_lived.add(state.key);
  } else if (state.ttl_ms == kNoExpiry) {
    (reading.needs_expiry() ? family.never_reset : family.kept).add(state.key);
  }
}

// What is left must be between nothing and the limit.
bool KeyExam::is_impossible(const KeyState& state) const {
  const Policy& policy = plan_.policy;
  const auto is_wrong = [&](std::string_view name, const std::string& text) {
    const auto left = parse_whole<double>(text);
    if (!left || !says_what_is_left(name)) return false;
    return *left < 0 || (policy.limit > 0 && *left > static_cast<double>(policy.bucket_capacity()));
  };
  if (state.type == StateType::string) return is_wrong(state.key, state.value);
  return std::ranges::any_of(
      state.fields, [&](const auto& field) { return is_wrong(field.first, field.second); });
}

void KeyExam::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  const bool flag = is_block_flag(state);
  const bool impossible = is_impossible(state);
  if (!state.exists() || !state.problem.empty()) return;
  if (!flag && !impossible && reading.shape == Shape::none) return;
  if (!met_.add(state.key)) return;
  ++keys_;
  if (sample_.size() < kSample) sample_.push_back(state.key);
  const std::string limiter = limiter_name(layouts_, state.key);
  if (limiters_.add(limiter)) ++clients_;
  if (!flag) fullest_.add(state, reading);
  const std::string name = family_of(state.key);
  if (families_.size() >= kMostFamilies && !families_.contains(name)) return;
  Family& family = families_[name];
  family.by_type.at(static_cast<std::size_t>(state.type)).add(state.key);
  family.known = family.known || (!reading.guess && !reading.algorithms.empty());
  if (impossible) family.impossible.add(state.key);
  if (plan_.on_cluster && limiter != state.key && slot_of(limiter) != slot_of(state.key))
    family.crossed.add(state.key);
  const BlockFlag block = flag ? flag_of(state, now_us) : BlockFlag{};
  if (flag && block.is_set && !block.left_us) family.endless.add(state.key);
  if (!flag) add_expiry(family, state, reading);
}

// A number may be anything. It counts requests for certain if the user says so, and for all we know
// if its siblings expire.
bool KeyExam::holds_limits(const Family& family) const {
  return plan_.all_are_limits || family.known || family.expiring > 0;
}

void KeyExam::tell(Ailment kind, const Seen& seen, const std::string& what,
                   HealthFindings& findings) {
  if (seen.keys == 0) return;
  findings.push_back({kind, fmt::format("{} {}, such as {}", counted(seen.keys, "key"), what,
                                        in_quotes(seen.example))});
}

void KeyExam::examine(const std::string& name, const Family& family,
                      HealthFindings& findings) const {
  const std::string like = "like " + escape_for_terminal(name) + " ";
  if (holds_limits(family)) {
    const std::string expiring =
        family.expiring == 0 ? "" : fmt::format(" ({} do)", format_count(family.expiring));
    tell(Ailment::no_expiry, family.never_reset, like + "never expire" + expiring, findings);
    tell(Ailment::kept_for_ever, family.kept, like + "never expire" + expiring, findings);
  }
  tell(Ailment::endless_block, family.endless, like + "block without an end", findings);
  tell(Ailment::long_expiry, family.long_lived,
       like + "expire after more than ten windows of " + format_duration(plan_.policy.window_us),
       findings);
  tell(Ailment::impossible_balance, family.impossible, like + "hold an impossible balance",
       findings);
  tell(Ailment::crossed_slots, family.crossed,
       like + "are in another slot than the rest of their limiter", findings);
  std::string types;
  for (const Seen& one : family.by_type)
    if (one.keys > 0) {
      const auto type = static_cast<StateType>(&one - family.by_type.data());
      types += fmt::format("{}{} {} such as {}", types.empty() ? "" : ", ", format_count(one.keys),
                           name_of(type), in_quotes(one.example));
    }
  const auto used =
      std::ranges::count_if(family.by_type, [](const Seen& one) { return one.keys > 0; });
  if (used > 1) findings.push_back({Ailment::mixed_types, "names " + like + "are " + types});
}

void KeyExam::examine(HealthFindings& findings) const {
  Seen doubtful;
  for (const auto& [name, family] : families_) {
    examine(name, family, findings);
    if (holds_limits(family) || family.never_reset.keys == 0) continue;
    doubtful.keys += family.never_reset.keys;
    doubtful.example = family.never_reset.example;
  }
  tell(Ailment::perhaps_no_expiry, doubtful, "with a number that may be anything, and no expiry",
       findings);
}

}  // namespace rlctl
