#include "inspect/doctor/key_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "inspect/block_flag.h"
#include "inspect/doctor/key_family.h"
#include "inspect/limiter_keys.h"
#include "inspect/limiter_words.h"
#include "io/redis/deployment/hash_slot.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostFamilies = 10'000;
constexpr std::size_t kMostApart = 10'000;
constexpr std::size_t kSample = 200;
constexpr std::int64_t kLongWindows = 10;
// So many siblings with an expiry, or of several types, are no chance.
constexpr std::int64_t kFewSiblings = 2;
constexpr std::int64_t kSomeSiblings = 3;
// Between the name of a family and its library: some libraries use any name.
constexpr char kLibrary = '\0';

// 0: its library tells none, or is only guessed.
std::int64_t window_us_of(const KeyReading& reading) {
  const LayoutReading& layout = reading.layout;
  if (!reading.is_of_library() || !layout.window_us) return 0;
  return layout.kind && row_of(*layout.kind).takes_window ? std::llround(*layout.window_us) : 0;
}

// " (1 other does)", of siblings that expire.
std::string others_do(std::int64_t count) {
  return fmt::format(" ({} {})", counted(count, "other", "others"), count == 1 ? "does" : "do");
}

template <typename Range>
std::int64_t count_types(const Range& types) {
  return std::ranges::count_if(types, [](const auto& one) { return one.keys > 0; });
}

}  // namespace

// A family of a name that can't be its own any more is that of its siblings.
KeyExam::Family* KeyExam::family_of_key(const std::string& key, const KeyReading& reading) {
  const bool claimed = reading.is_of_library();
  std::string name = claimed ? layouts_.family_of(key) : family_of(key);
  if (name.empty()) {  // of a layout whose names begin with anything
    name = key;
    const std::string& client = reading.layout.client;
    const std::size_t at = client.empty() ? name.npos : name.rfind(client);
    if (at != name.npos) name.replace(at, client.size(), "<client>");
  }
  const std::string library = claimed ? joined(reading.layout.names, " or ") : std::string();
  if (claimed) (name += kLibrary) += library;
  if (families_.size() >= kMostFamilies && !families_.contains(name)) name = siblings_of(name);
  if (families_.size() >= kMostFamilies && !families_.contains(name)) return nullptr;
  Family& family = families_[name];
  if (claimed) {
    family.library = library;
    family.must_expire = !reading.layout.may_last;
  }
  return &family;
}

void KeyExam::add_expiry(Family& family, const KeyState& state, const KeyReading& reading) const {
  const std::int64_t told_us = window_us_of(reading);
  const std::int64_t window_us =
      told_us > 0 ? told_us
                  : policy_for(reading.kind, reading.policy_under(plan_.policy)).window_us;
  const bool counts = reading.needs_expiry();
  if (state.ttl_ms >= 0) {
    ++family.expiring;
    family.expiring_by_type.at(static_cast<std::size_t>(state.type)).add(state.key);
    if (window_us <= 0 || us_of_ms(state.ttl_ms) <= kLongWindows * window_us) return;
    family.long_lived.add(state.key);
    family.window_us = window_us;
  } else if (state.ttl_ms == kNoExpiry) {
    // Keys that are read together may last all together.
    if (reading.layout.may_last && (!counts || reading.layout.has_companions)) return;
    // A name that ends in a time is one of many: what expires in other windows proves nothing.
    const bool may_be_any = reading.guess && reading.layout.tells_window && !plan_.all_are_limits;
    (!counts ? family.kept : may_be_any ? family.may_be_any : family.never_reset).add(state.key);
  }
}

// What is left must be between nothing and the limit. A shipped script may count it in parts of a
// request: only zero is the same in every unit.
bool KeyExam::is_impossible(const KeyState& state, const KeyReading& reading) const {
  const Policy& policy = reading.policy_under(plan_.policy);
  const bool in_requests = policy.limit > 0 && !reading.rule_in_doubt && reading.algorithms.empty();
  const auto is_wrong = [&](std::string_view name, const std::string& text) {
    const auto left = parse_whole<double>(text);
    if (!left || !says_what_is_left(name)) return false;
    return *left < 0 || (in_requests && *left > static_cast<double>(policy.bucket_capacity()));
  };
  if (state.type == StateType::string) return is_wrong(state.key, state.value);
  return std::ranges::any_of(
      state.fields, [&](const auto& field) { return is_wrong(field.first, field.second); });
}

void KeyExam::add_claim(const KeyState& state, const KeyReading& reading) {
  const std::string name = layouts_.family_of(state.key);
  if (name.empty() || (claims_.size() >= kMostFamilies && !claims_.contains(name))) return;
  Claim& claim = claims_[name];
  if (reading.is_of_library()) {
    const std::string library = joined(reading.layout.names, " or ");
    claim.by_library[library].add(state.key);
    claim.types[library] = state.type;
  } else if (!reading.layout.has_companions) {  // else it may lack the others
    claim.strange.at(static_cast<std::size_t>(state.type)).add(state.key);
  }
}

// Keys that a script writes together are never in two slots: it would have been refused. So only
// what is written apart is compared: the flag, and keys of a layout that came from another Redis.
void KeyExam::add_apart(const KeyState& state, const KeyReading& reading, bool flag,
                        const std::string& limiter) {
  if (!plan_.on_cluster || apart_.size() >= kMostApart) return;
  std::vector<std::string> partners;
  if (flag) partners = keys_by_name(limiter);
  if (!flag && reading.is_of_library()) partners = layouts_.partners_of(state.key);
  std::erase_if(partners, [&](const std::string& name) {
    return is_block_key(name) || slot_of(name) == slot_of(state.key);
  });
  if (!partners.empty()) apart_.push_back({family_of(state.key), state.key, std::move(partners)});
}

void KeyExam::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  const bool flag = is_block_flag(state, reading);
  const bool impossible = reading.layout.is_impossible || is_impossible(state, reading);
  if (!state.exists() || !state.problem.empty()) return;
  if (!flag && reading.shape == Shape::none) return;
  if (!met_.add(state.key)) return;
  ++keys_;
  if (sample_.size() < kSample) sample_.push_back(state.key);
  const std::string limiter = limiter_name(layouts_, state.key);
  if (limiters_.add(limiter)) ++clients_;
  if (!flag) fullest_.add(state, reading);
  if (!flag) add_claim(state, reading);
  add_apart(state, reading, flag, limiter);
  Family* const family = family_of_key(state.key, reading);
  if (family == nullptr) return;
  family->is_flag = flag;
  family->by_type.at(static_cast<std::size_t>(state.type)).add(state.key);
  family->known = family->known || (!reading.guess && !reading.algorithms.empty());
  // Of keys that are read together the first stands for all.
  if (impossible && (!reading.layout.has_companions || state.key == limiter))
    family->impossible.add(state.key);
  const BlockFlag block = flag ? flag_of(state, now_us) : BlockFlag{};
  const bool is_certain = block.is_certain() || reading.layout.blocks;
  if (block.is_for_ever() && is_certain) family->endless.add(state.key);
  if (!flag) add_expiry(*family, state, reading);
}

// A number may be anything. It counts requests for certain if the user or its library says so, and
// for all we know if its siblings expire.
bool KeyExam::holds_limits(const Family& family) const {
  return plan_.all_are_limits || family.known || family.expiring > 0 || family.must_expire;
}

void KeyExam::tell(Ailment kind, const Seen& seen, const std::string& like, const char* one,
                   const char* several, HealthFindings& findings) {
  if (seen.keys == 0) return;
  findings.push_back({kind, fmt::format("{}{} {}, such as {}", counted(seen.keys, "key"), like,
                                        seen.keys == 1 ? one : several, in_quotes(seen.example))});
}

void KeyExam::tell_types(Ailment kind, const std::string& name, const Types& types,
                         HealthFindings& findings) {
  std::string told;
  for (const Seen& one : types)
    if (one.keys > 0) {
      const auto type = static_cast<StateType>(&one - types.data());
      told += fmt::format("{}{}, such as {}", told.empty() ? "" : "; ",
                          counted(one.keys, name_of(type), type == StateType::hash ? "hashes" : ""),
                          in_quotes(one.example));
    }
  findings.push_back({kind, "names like " + escape_for_terminal(name) + " are " + told});
}

void KeyExam::examine(std::string_view name, const Family& family, HealthFindings& findings) const {
  name = take_until(name, kLibrary);
  const std::string of = family.library.empty() ? "" : " of " + escape_for_terminal(family.library);
  const std::string like = of + (name == "<client>" ? "" : " like " + escape_for_terminal(name));
  if (holds_limits(family)) {
    const std::string others = family.expiring == 0 ? "" : others_do(family.expiring);
    const std::string one = "never expires" + others, several = "never expire" + others;
    tell(Ailment::no_expiry, family.never_reset, like, one.c_str(), several.c_str(), findings);
    tell(Ailment::kept_for_ever, family.kept, like, one.c_str(), several.c_str(), findings);
  }
  tell(Ailment::endless_block, family.endless, like, "blocks without an end",
       "block without an end", findings);
  const std::string late = " after more than ten windows of " + format_duration(family.window_us);
  tell(Ailment::long_expiry, family.long_lived, like, ("expires" + late).c_str(),
       ("expire" + late).c_str(), findings);
  tell(Ailment::impossible_balance, family.impossible, like, "holds an impossible balance",
       "hold an impossible balance", findings);
  if (family.library.empty() && count_types(family.by_type) > 1)
    tell_types(Ailment::mixed_types, std::string(name), family.by_type, findings);
}

// A name has one writer: whose keys are, and what no such library stores.
void KeyExam::examine_claims(HealthFindings& findings) const {
  for (const auto& [name, claim] : claims_) {
    if (claim.by_library.empty()) continue;
    std::string told;
    const auto add = [&](const Seen& seen, const std::string& what) {
      told += fmt::format("{}{} {}, such as {}", told.empty() ? "" : "; ",
                          counted(seen.keys, "key"), what, in_quotes(seen.example));
    };
    for (const auto& [library, seen] : claim.by_library)
      add(seen, "of " + escape_for_terminal(library));
    bool other_type = false;
    for (const Seen& one : claim.strange) {
      if (one.keys == 0) continue;
      const auto type = static_cast<StateType>(&one - claim.strange.data());
      other_type = other_type || std::ranges::none_of(claim.types, [&](const auto& claimed) {
                     return claimed.second == type;
                   });
      add(one, fmt::format("of other software ({})", name_of(type)));
    }
    if (claim.by_library.size() > 1 || count_types(claim.strange) > 0)
      findings.push_back({other_type ? Ailment::mixed_types : Ailment::two_writers,
                          "names like " + escape_for_terminal(name) + " are " + told});
  }
}

// All keys that differ in their last part only, of whatever family.
std::map<std::string, KeyExam::Family> KeyExam::siblings() const {
  std::map<std::string, Family> all;
  for (const auto& [name, family] : families_) {
    const std::string like = siblings_of(name);
    if (like.empty() || family.is_flag || !family.library.empty()) continue;
    Family& together = all[like];
    for (std::size_t type = 0; type < family.by_type.size(); ++type)
      together.expiring_by_type.at(type).add(family.expiring_by_type.at(type));
    together.known = together.known || count_types(family.by_type) > 1;  // told already
    if (!holds_limits(family)) together.never_reset.add(family.never_reset);
  }
  return all;
}

bool KeyExam::differs_from_siblings(const Family& all) {
  const std::int64_t expiring =
      all.expiring_by_type.at(static_cast<std::size_t>(StateType::string)).keys;
  return all.never_reset.keys > 0 && expiring >= kFewSiblings && expiring > all.never_reset.keys;
}

void KeyExam::examine_siblings(HealthFindings& findings) const {
  Seen doubtful;
  for (const auto& [name, family] : families_) doubtful.add(family.may_be_any);
  for (const auto& [name, family] : families_)
    if (!holds_limits(family) && (siblings_of(name).empty() || !family.library.empty()))
      doubtful.add(family.never_reset);
  for (const auto& [name, all] : siblings()) {
    const Types& types = all.expiring_by_type;
    std::int64_t expiring = 0;
    for (const Seen& one : types) expiring += one.keys;
    if (differs_from_siblings(all)) {
      const std::string others = others_do(expiring);
      tell(Ailment::unlike_siblings, all.never_reset, " like " + escape_for_terminal(name),
           ("never expires" + others).c_str(), ("never expire" + others).c_str(), findings);
    } else {
      doubtful.add(all.never_reset);
    }
    const bool hashes = types.at(static_cast<std::size_t>(StateType::hash)).keys > 0;
    if (!all.known && !hashes && count_types(types) > 1 && expiring >= kSomeSiblings)
      tell_types(Ailment::perhaps_mixed_types, name, types, findings);
  }
  const char* const what = "with a number that may be anything, and no expiry";
  tell(Ailment::perhaps_no_expiry, doubtful, "", what, what, findings);
}

void KeyExam::examine_slots(HealthFindings& findings) const {
  std::map<std::string, std::pair<Seen, std::string>> by_family;
  for (const Apart& one : apart_) {
    const auto partner = std::ranges::find_if(
        one.partners, [&](const std::string& name) { return met_.mark_of(name).has_value(); });
    if (partner == one.partners.end()) continue;
    auto& [seen, beside] = by_family[one.family];
    seen.add(one.key);
    if (seen.keys == 1) beside = *partner;
  }
  for (const auto& [name, crossed] : by_family)
    findings.push_back(
        {Ailment::crossed_slots,
         fmt::format("{} like {} {} in another slot than the key beside which {}, such as {} "
                     "beside {}",
                     counted(crossed.first.keys, "key"), escape_for_terminal(name),
                     crossed.first.keys == 1 ? "is" : "are",
                     crossed.first.keys == 1 ? "it is used" : "they are used",
                     in_quotes(crossed.first.example), in_quotes(crossed.second))});
}

void KeyExam::examine(HealthFindings& findings) const {
  for (const auto& [name, family] : families_) examine(name, family, findings);
  examine_claims(findings);
  examine_siblings(findings);
  examine_slots(findings);
}

}  // namespace rlctl
