#include "inspect/layout_reading.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "inspect/state_values.h"

namespace rlctl {
namespace {

constexpr std::string_view kPrevious = "previous_";
constexpr const char* kKeyFacts[] = {"length", "live", "ttl_ms"};
constexpr const char* kLayoutContext[] = {"limit", "capacity", "window_us", "now_us"};
constexpr std::string Layout::*kTexts[] = {&Layout::limit,     &Layout::window_us, &Layout::used,
                                           &Layout::left,      &Layout::frees_us,  &Layout::fits,
                                           &Layout::impossible};
enum : std::size_t { kLimit, kWindow, kUsed, kLeft, kFrees, kFits, kImpossible };

// A word of Lua can't be the name of a value.
std::string variable_of(const std::string& name) { return name == "end" ? "end_" : name; }

// "length" of the first key, "length_2" of the second.
std::string fact_of(const char* fact, std::size_t key) {
  return key == 0 ? fact : std::string(fact) + '_' + std::to_string(key + 1);
}

// All of a string with one name is that number: it may be negative, or a fraction.
Numbers numbers_of(const State& state, const KeyState& key) {
  if (key.type != StateType::string) return {};
  if (state.names.size() != 1) return numbers_in(key.value);
  const auto number = parse_whole<double>(key.value);
  return number ? Numbers{*number} : Numbers{};
}

bool is_text_of(const State& state, std::string_view name) {
  return state.type == StateType::string && state.names.size() == 1 && state.names.front() == name;
}

bool holds_bytes(const State& state) { return is_text_of(state, "bytes"); }

bool fits(const State& state, const KeyState& key) {
  if (holds_bytes(state))
    return key.type == StateType::string && key.value.find('\0') != key.value.npos;
  // A flag blocks by being there.
  if (is_text_of(state, "flag")) return key.type == StateType::string;
  const Numbers numbers = numbers_of(state, key);
  if (key.type == StateType::string && numbers.size() != state.names.size()) return false;
  // A count is whole: a fraction is something else, such as a time.
  if (is_text_of(state, "count") && !parse_whole<std::int64_t>(key.value)) return false;
  return fits(state, key, numbers);
}

std::vector<std::string> names_in(const Layout& layout) {
  std::vector<std::string> names(std::begin(kLayoutContext), std::end(kLayoutContext));
  for (std::size_t i = 0; i < layout.keys.size(); ++i) {
    for (const char* fact : kKeyFacts) names.push_back(fact_of(fact, i));
    for (const std::string& name : layout.keys[i].state.names) names.push_back(variable_of(name));
    for (const LayoutKey::NamePart& part : layout.keys[i].name)
      if (part.part != LayoutKey::Part::text) names.push_back(part.text);
  }
  for (const char* fact : kKeyFacts) names.push_back(std::string(kPrevious) + fact);
  if (!layout.keys.empty())
    for (const std::string& name : layout.keys.front().state.names)
      names.push_back(std::string(kPrevious) + variable_of(name));
  return names;
}

// `key`: null if it does not exist. Then it has no value.
void set_key(Expressions& expressions, const KeySlots& slots, const State& state,
             const KeyState* key) {
  expressions.set(slots.length, if_known(key ? key->length : 0, key != nullptr));
  expressions.set(slots.live, if_known(key && key->live ? key->live->count : 0, key && key->live));
  expressions.set(slots.ttl_ms, if_known(key ? key->ttl_ms : 0, key && key->ttl_ms >= 0));
  if (holds_bytes(state) && key != nullptr) return expressions.set(slots.values[0], key->value);
  const Numbers numbers = key == nullptr ? Numbers{} : numbers_of(state, *key);
  for (std::size_t i = 0; i < state.names.size(); ++i)
    expressions.set(slots.values[i],
                    key == nullptr ? std::nullopt : value_of(state, i, *key, numbers));
}

void set_context(Expressions& expressions, const Policy& policy, std::int64_t now_us) {
  const bool known = policy.limit > 0;
  expressions.set("limit", if_known(policy.limit, known));
  expressions.set("capacity", if_known(policy.bucket_capacity(), known));
  expressions.set("window_us", if_known(policy.window_us, policy.window_us > 0));
  expressions.set("now_us", static_cast<double>(now_us));
}

// What one reading says and another does not is not known.
void keep_what_agrees(std::optional<double>& value, const std::optional<double>& other) {
  if (value.has_value() != other.has_value() || (value && std::abs(*value - *other) > 0.5))
    value.reset();
}

// Nobody limits for longer than ten years: a name that tells a longer window is no library's.
bool may_be_window(const std::optional<double>& window_us) {
  constexpr double kLongestUs = 10 * 366 * 86'400e6;
  return !window_us || (*window_us > 0 && *window_us <= kLongestUs);
}

// What does not fit alone may fit with the other keys of its limiter.
LayoutReading only_companions(const LayoutReading& reading) {
  LayoutReading none;
  none.has_companions = reading.has_companions;
  return none;
}

void join(LayoutReading& reading, LayoutReading other) {
  reading.names.push_back(std::move(other.names.front()));
  keep_what_agrees(reading.used, other.used);
  keep_what_agrees(reading.left, other.left);
  keep_what_agrees(reading.limit, other.limit);
  keep_what_agrees(reading.window_us, other.window_us);
  keep_what_agrees(reading.frees_us, other.frees_us);
  if (reading.client != other.client) reading.client.clear();
  if (reading.client_may_be != other.client_may_be) reading.client_may_be.clear();
  std::erase_if(reading.words,
                [&](const auto& words) { return other.words[words.first] != words.second; });
  if (reading.kind != other.kind) reading.kind.reset();
  reading.is_common_name = reading.is_common_name && other.is_common_name;
  reading.may_last = reading.may_last || other.may_last;
  reading.tells_window = reading.tells_window && other.tells_window;
  reading.blocks = reading.blocks && other.blocks;
  reading.is_impossible = reading.is_impossible && other.is_impossible;
  reading.has_companions = reading.has_companions || other.has_companions;
}

}  // namespace

const Policy& policy_for(std::optional<RuleKind> kind, const Policy& policy) {
  static const Policy kNothing;
  const bool is_bucket = kind && row_of(*kind).takes_capacity;
  const bool wants_bucket = !policy.rules.empty() && policy.rules.front().row().takes_capacity;
  return wants_bucket && !is_bucket ? kNothing : policy;
}

KeySlots LayoutReader::slots_of(const Expressions& expressions, const State& state,
                                std::string_view before, std::size_t key) {
  const auto slot_of = [&](const std::string& name) {
    return expressions.slot_of(std::string(before) + name);
  };
  KeySlots slots{slot_of(fact_of("length", key)),
                 slot_of(fact_of("live", key)),
                 slot_of(fact_of("ttl_ms", key)),
                 {}};
  for (const std::string& name : state.names) slots.values.push_back(slot_of(variable_of(name)));
  return slots;
}

LayoutReader::Prepared& LayoutReader::prepared(const Layout& layout) {
  Prepared& prepared = prepared_[&layout];
  if (prepared.expressions) return prepared;
  std::vector<std::string> texts;
  for (const auto text : kTexts) texts.push_back((layout.*text).empty() ? "nil" : layout.*text);
  prepared.expressions = std::make_unique<Expressions>(texts, names_in(layout), layout.origin);
  for (std::size_t i = 0; i < layout.keys.size(); ++i)
    prepared.slots.push_back(slots_of(*prepared.expressions, layout.keys[i].state, "", i));
  if (!layout.keys.empty())
    prepared.previous = slots_of(*prepared.expressions, layout.keys[0].state, kPrevious, 0);
  if (!layout.contract.empty()) prepared.kind = layout.counts_by();
  return prepared;
}

void LayoutReader::take(const KeyState& state, NameMatch match,
                        std::vector<Candidate>& candidates) {
  const Layout& layout = *match.layout;
  const std::string limiter = match.limiter();
  auto found = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return candidate.layout == &layout && candidate.limiter == limiter;
  });
  if (found == candidates.end()) {
    candidates.emplace_back();
    found = std::prev(candidates.end());
    found->layout = &layout;
    found->limiter = limiter;
    found->client = match.client();
    found->states.resize(layout.keys.size());
  }
  Candidate& candidate = *found;
  const auto slot = std::ranges::find(match.fillings, "slot", &NameFilling::name);
  const double number = slot == match.fillings.end() ? 0 : slot->number.value_or(0);
  if (number < candidate.slot) {
    if (number == candidate.slot - 1) candidate.previous = &state;
    return;
  }
  if (match.key == 0 && candidate.slot == number - 1) candidate.previous = candidate.states[0];
  if (match.key == 0 && candidate.slot >= 0 && candidate.slot < number - 1)
    candidate.previous = nullptr;
  candidate.slot = number;
  candidate.states[match.key] = &state;
  candidate.fillings = std::move(match.fillings);
}

// The layouts that fit, and of them those that say most about the name. A layout whose first key is
// missing says only what the others are.
std::vector<LayoutReader::Candidate> LayoutReader::candidates(
    std::span<const KeyState> keys) const {
  std::vector<Candidate> candidates;
  if (keys.size() == 1) {
    const auto fits_it = [&](const State& state) { return fits(state, keys[0]); };
    for (NameMatch& match : layouts_.match(keys[0].key, keys[0].type, fits_it))
      take(keys[0], std::move(match), candidates);
    return candidates;
  }
  for (const KeyState& state : keys)
    for (NameMatch& match : layouts_.match(state.key, state.type))
      if (fits(match.layout->keys[match.key].state, state))
        take(state, std::move(match), candidates);
  const auto literal = [](const Candidate& candidate) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < candidate.states.size(); ++i)
      if (candidate.states[i] != nullptr)
        most = std::max(most, candidate.layout->keys[i].literal_bytes());
    return most;
  };
  std::size_t most = 0;
  for (const Candidate& candidate : candidates) most = std::max(most, literal(candidate));
  std::erase_if(candidates, [&](const Candidate& each) { return literal(each) < most; });
  return candidates;
}

LayoutReading LayoutReader::evaluate(const Candidate& candidate, const KeyContext& context) {
  const Layout& layout = *candidate.layout;
  LayoutReading reading;
  reading.names.push_back(layout.name);
  reading.unit = layout.unit;
  reading.is_common_name = layout.is_common_name;
  reading.counts_down = !layout.left.empty();
  reading.has_companions = layout.has_companions();
  reading.may_last = layout.may_last;
  reading.blocks = layout.blocks;
  reading.tells_window = layout.keys.front().tells_window();
  Prepared& prepared = this->prepared(layout);
  reading.kind = prepared.kind;
  reading.client = candidate.client;
  if (layout.may_be_split(reading.client)) reading.client_may_be = layout.split.state.words;
  for (std::size_t i = 0; i < candidate.states.size(); ++i)
    if (const KeyState* state = candidate.states[i])
      reading.words[state->key] = layout.keys[i].state.words;
  if (candidate.previous != nullptr)
    reading.words[candidate.previous->key] = layout.keys[0].state.words;
  if (candidate.states[0] == nullptr)  // of a name that anything may have, nothing is left to tell
    return layout.keys[0].has_word() ? reading : only_companions(reading);

  Expressions& expressions = *prepared.expressions;
  // Most layouts have two or three of the expressions, and there may be millions of keys.
  const auto number = [&](std::size_t which) {
    return (layout.*kTexts[which]).empty() ? std::nullopt : expressions.number(which);
  };
  const Policy& policy = policy_for(prepared.kind, context.policy);
  set_context(expressions, policy, context.now_us);
  for (std::size_t i = 0; i < layout.keys.size(); ++i)
    set_key(expressions, prepared.slots[i], layout.keys[i].state, candidate.states[i]);
  if (layout.keys[0].has_slot())
    set_key(expressions, prepared.previous, layout.keys[0].state, candidate.previous);
  for (const NameFilling& filling : candidate.fillings) {
    if (filling.number)
      expressions.set(filling.name, *filling.number);
    else
      expressions.set(filling.name, std::string_view(filling.text));
  }
  reading.limit = number(kLimit);
  if (reading.limit) expressions.set("limit", *reading.limit);
  reading.window_us = number(kWindow);
  if (reading.window_us) expressions.set("window_us", *reading.window_us);
  if (!may_be_window(reading.window_us) ||
      (!layout.fits.empty() && expressions.evaluate(kFits).value_or(0) == 0))
    return only_companions(reading);
  if (!layout.impossible.empty())
    reading.is_impossible = expressions.evaluate(kImpossible).value_or(0) != 0;
  reading.used = number(kUsed);
  reading.left = number(kLeft);
  reading.frees_us = number(kFrees);
  if (policy.limit == 0 && !reading.limit) reading.stale = layout.stale;
  return reading;
}

LayoutReading LayoutReader::read(std::span<const KeyState> keys, const KeyContext& context) {
  LayoutReading reading;
  for (const Candidate& candidate : candidates(keys)) {
    LayoutReading one = evaluate(candidate, context);
    one.has_companions = one.has_companions || reading.has_companions;
    if (reading.fits() && !one.fits()) continue;
    if (reading.fits())
      join(reading, std::move(one));
    else
      reading = std::move(one);
  }
  const Policy& policy = policy_for(reading.kind, context.policy);
  if (!reading.limit && policy.limit > 0 && reading.fits())
    reading.limit = static_cast<double>(policy.bucket_capacity());
  if (reading.limit && reading.used && !reading.left)
    reading.left = std::max(0.0, *reading.limit - *reading.used);
  if (reading.limit && reading.left && !reading.used) reading.used = *reading.limit - *reading.left;
  return reading;
}

}  // namespace rlctl
