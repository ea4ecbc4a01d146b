#include "inspect/key_reading.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"
#include "inspect/state_values.h"
#include "inspect/stored_time.h"
#include "policy/key.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

// A semaphore holds the ends of leases: its name says so, or it expires with the last of them.
// Clocks are not so far apart that it could be a log.
bool holds_leases(const KeyState& state, std::int64_t now_us) {
  constexpr std::int64_t kSameEndUs = 2 * kSecondUs;
  if (state.type != StateType::zset || now_us <= 0 || state.entries.empty()) return false;
  const auto last_us = state.entries.back().at_us;
  if (!last_us || *last_us <= now_us) return false;
  return is_name_of_leases(state.key) ||
         (state.ttl_ms >= 0 && std::abs(now_us + us_of_ms(state.ttl_ms) - *last_us) <= kSameEndUs);
}

// What has the form of a limiter's data, but that nothing explains, may be anybody's: a hash of
// numbers without their names, or a queue of what is due later. Clocks are not so far apart.
bool is_of_others(const KeyState& state, const KeyContext& context) {
  constexpr std::int64_t kClocksApartUs = 10 * kSecondUs;
  const std::int64_t now_us = context.now_us;
  if (state.type == StateType::hash) return !read_fields(state, context).is_limiter;
  return now_us > 0 && !state.entries.empty() && state.entries.back().at_us &&
         *state.entries.back().at_us > now_us + kClocksApartUs && !holds_leases(state, now_us);
}

// A bucket holds only numbers: tokens, levels, times.
bool holds_numbers_only(const KeyState& state) {
  return !state.fields.empty() && state.fields.size() <= 8 &&
         std::ranges::all_of(state.fields, [](const auto& field) {
           return parse_whole<double>(field.second).has_value();
         });
}

Shape shape_of(const KeyState& state, const Numbers& numbers) {
  switch (state.type) {
    case StateType::list:
    case StateType::zset:
      return state.time_unit.empty() ? Shape::none : Shape::log;
    case StateType::string:
      if (numbers.empty()) return Shape::none;
      return stored_time_from(numbers.front()) ? Shape::time : Shape::counter;
    case StateType::hash:
      return holds_numbers_only(state) ? Shape::bucket : Shape::none;
    case StateType::none:
      break;
  }
  return Shape::none;
}

std::optional<std::int64_t> log_frees_us(const KeyState& state, const KeyContext& context) {
  if (!state.live || !state.live->oldest_us) return std::nullopt;
  return *state.live->oldest_us + context.policy.window_us - context.now_us;
}

// A bucket admits one more when its level has fallen to its size minus one.
std::optional<std::int64_t> bucket_frees_us(double used, const Policy& policy) {
  if (policy.limit == 0) return std::nullopt;
  const double too_much = used - static_cast<double>(policy.bucket_capacity() - 1);
  const double per_one = static_cast<double>(policy.window_us) / static_cast<double>(policy.limit);
  return too_much <= 0 ? 0 : rounded_us(std::ceil(too_much * per_one));
}

// A string with one number counts requests only if that can be: a whole number, and not far more
// than the user's limit. A client that is denied a thousand times goes on being counted by some.
constexpr double kMostTimesOver = 1'000;

bool may_count(const KeyState& state, const Policy& given) {
  const Policy& policy = policy_for(std::nullopt, given);
  const auto number = parse_whole<std::uint64_t>(state.value);
  return number && (policy.limit == 0 || static_cast<double>(*number) <=
                                             kMostTimesOver * static_cast<double>(policy.limit));
}

// What is left was left at the last request: since then it was refilled, as the user's policy says.
void read_foreign_hash(const FieldsReading& fields, const KeyContext& context,
                       KeyReading& reading) {
  reading.used = fields.used;
  reading.may_be_other = fields.may_be_other;
  reading.fields_say = fields.says;
  reading.own_limit = fields.limit;
  if (fields.left && fields.since_us) reading.kind = RuleKind::bucket;
  const Policy& policy = policy_for(reading.kind, context.policy);
  if (policy.limit > 0 && reading.fields_say != FieldsSay::blocked)
    reading.fields_say = FieldsSay::nothing;  // the limit of the user counts
  if (fields.left && policy.limit > 0 && policy.window_us > 0) {
    const std::int64_t since_us = context.now_us - fields.since_us.value_or(context.now_us);
    const double refilled = static_cast<double>(policy.limit) * static_cast<double>(since_us) /
                            static_cast<double>(policy.window_us);
    const auto capacity = static_cast<double>(policy.bucket_capacity());
    reading.used = std::clamp(capacity - *fields.left - refilled, 0.0, capacity);
  }
  reading.guess = reading.guess || reading.used || reading.may_be_other ||
                  reading.fields_say >= FieldsSay::full;
  if (reading.used)
    reading.frees_us =
        reading.is_bucket() ? bucket_frees_us(*reading.used, policy) : fields.frees_us;
}

// What a key of other software shows by itself.
void read_foreign(const KeyState& state, const KeyContext& context, const Numbers& numbers,
                  KeyReading& reading) {
  if (reading.shape == Shape::counter && numbers.size() == 1) {
    reading.used = numbers.front();
    if (state.ttl_ms >= 0) reading.frees_us = us_of_ms(state.ttl_ms);
  }
  if (reading.shape == Shape::bucket && !reading.layout.fits())
    read_foreign_hash(read_fields(state, context), context, reading);
  if (reading.shape == Shape::log && holds_leases(state, context.now_us)) {
    reading.kind = RuleKind::in_flight;
    reading.layout.window_us = 1;  // a lease is held until its own end, not for a window more
  }
  if (reading.shape == Shape::log && state.live) {
    reading.used = static_cast<double>(state.live->count);
    reading.frees_us = reading.kind && state.live->oldest_us
                           ? std::optional(*state.live->oldest_us - context.now_us)
                           : log_frees_us(state, context);
  }
}

}  // namespace

namespace {

constexpr const char* kContextNames[] = {"length",    "live",   "limit", "capacity",
                                         "window_us", "now_us", "ttl_ms"};
struct ContextSlot {
  enum : Expressions::Slot { length, live, limit, capacity, window, now, ttl };
};

void set_context(Expressions& expressions, const KeyState& state, const Policy& policy,
                 std::int64_t now_us) {
  const bool known = policy.limit > 0;
  expressions.set(ContextSlot::length, static_cast<double>(state.length));
  expressions.set(ContextSlot::live,
                  if_known(state.live ? state.live->count : 0, state.live.has_value()));
  expressions.set(ContextSlot::limit, if_known(policy.limit, known));
  expressions.set(ContextSlot::capacity, if_known(policy.bucket_capacity(), known));
  expressions.set(ContextSlot::window, if_known(policy.window_us, known));
  expressions.set(ContextSlot::now, static_cast<double>(now_us));
  expressions.set(ContextSlot::ttl, if_known(state.ttl_ms, state.ttl_ms >= 0));
}

}  // namespace

KeyReader::KeyReader(const Registry& registry, const std::string& algorithm, Layouts layouts)
    : told_(!algorithm.empty()), layouts_(std::move(layouts)) {
  const std::vector<std::string> names =
      algorithm.empty() ? registry.names() : std::vector{algorithm};
  for (const std::string& name : names) {
    Script script = registry.find(name);
    if (told_ || script.manifest.flaw.empty()) add_candidate(std::move(script));
  }
}

KeyReader::KeyReader(Script script) : told_(true) { add_candidate(std::move(script)); }

void KeyReader::add_candidate(Script script) {
  const Manifest& manifest = script.manifest;
  if (manifest.state.type == StateType::none) return;
  std::vector<std::string> known(std::begin(kContextNames), std::end(kContextNames));
  known.insert(known.end(), manifest.state.names.begin(), manifest.state.names.end());
  const std::string texts[] = {manifest.used.empty() ? "nil" : manifest.used,
                               manifest.frees_us.empty() ? "nil" : manifest.frees_us};
  Candidate& candidate = candidates_.emplace_back();
  // `nil` evaluates to 0, so an expression that the manifest lacks is not asked.
  candidate.expressions = std::make_unique<Expressions>(texts, known, script.origin);
  for (const std::string& value : manifest.state.names)
    candidate.slots.push_back(candidate.expressions->slot_of(value));
  candidate.kind = manifest.counts_by();
  candidate.name = script.name;
  candidate.manifest = std::move(script.manifest);
}

// The reading by one manifest; empty if the numbers can't mean that.
std::optional<KeyReader::Match> KeyReader::match(const Candidate& candidate, const KeyState& state,
                                                 const KeyContext& context,
                                                 const std::vector<double>& numbers) {
  const Manifest& manifest = candidate.manifest;
  if (!fits(manifest.state, state, numbers)) return std::nullopt;
  Expressions& expressions = *candidate.expressions;
  const Policy& policy = policy_for(candidate.kind, context.policy);
  set_context(expressions, state, policy, context.now_us);
  for (std::size_t i = 0; i < candidate.slots.size(); ++i)
    expressions.set(candidate.slots[i], value_of(manifest.state, i, state, numbers));
  Match match{&candidate, {}, {}, 0};
  match.missing =
      state.type == StateType::string ? manifest.state.names.size() - numbers.size() : 0;
  // Without a window, the live entries are not known, and Lua would use 0 for the missing number.
  const bool countable = state.time_unit.empty() || state.live.has_value();
  if (!manifest.used.empty() && countable) match.used = expressions.evaluate(0);
  if (const auto us = manifest.frees_us.empty() ? std::nullopt : expressions.evaluate(1))
    match.frees_us = rounded_us(*us);
  // A time that is misread as another value gives millions: `used` can't be more than the limit.
  const bool packed = state.type == StateType::string && stored_time_from(numbers.front());
  // It is of the kind that the user's policy is of.
  if (packed && policy.limit == 0 && context.policy.limit > 0) return std::nullopt;
  if (packed && policy.limit > 0 && match.used &&
      *match.used > static_cast<double>(std::max(policy.limit, policy.bucket_capacity()) + 1))
    return std::nullopt;
  return match;
}

// Whether it has the form that the algorithm stores, as far as its manifest tells.
bool KeyReader::may_be_told(const KeyState& state, const Numbers& numbers) const {
  return candidates_.empty() || std::ranges::any_of(candidates_, [&](const Candidate& candidate) {
           return fits(candidate.manifest.state, state, numbers);
         });
}

namespace {

// A policy of several rules, and a key that says which window it counts in.
bool has_to_choose(std::string_view key, const Rules& rules) {
  if (rules.size() != 1) return rules.size() > 1;
  return period_us(key).value_or(rules.front().window_us) != rules.front().window_us;
}

// The policy as if it had this rule alone.
Policy with_rule(Policy policy, const Rule& rule) {
  policy.tell(rule);
  policy.rules = {rule};
  return policy;
}

// How much of its rule a key has used; of a number that means the same under all rules: the
// strictest one has the greatest share.
double share_of(const KeyReading& reading) {
  return reading.used.value_or(1) / std::max(1.0, reading.limit_under({}).value_or(1));
}

// `read` reads the same keys under a policy. What they tell by themselves goes before any rule. One
// of several rules is its own if it is the only one of its window. Else it may be any of them, and
// that of which it has used most is shown: if that is not full, none is.
template <typename Read>
KeyReading read_by_own_rule(std::string_view key, const KeyContext& context, Read read) {
  const Rules& rules = context.policy.rules;
  if (!has_to_choose(key, rules)) return read(context);
  const LayoutReading told = read(KeyContext{{}, context.now_us}).layout;
  if (told.limit) return read(context);
  const auto window_us =
      told.window_us ? std::optional(rounded_us(*told.window_us)) : period_us(key);
  Rules own;
  std::ranges::copy_if(rules, std::back_inserter(own), [&](const Rule& rule) {
    return rule.has_window() && rule.window_us == window_us;
  });
  std::optional<KeyReading> fullest;
  for (const Rule& rule : own.size() == 1 ? own : rules) {
    Policy policy = with_rule(context.policy, rule);
    KeyReading reading = read(KeyContext{policy, context.now_us});
    reading.own_policy = std::move(policy);
    reading.rule_in_doubt = own.size() != 1;
    if (!fullest || share_of(reading) > share_of(*fullest)) fullest = std::move(reading);
  }
  return std::move(*fullest);
}

}  // namespace

std::string KeyReading::doubt_in_words() const {
  return rule_in_doubt ? ", if " + rules_text(own_policy->rules) + " is its rule" : "";
}

KeyReading KeyReader::read(const KeyState& state, const KeyContext& context) {
  return read_by_own_rule(state.key, context,
                          [&](const KeyContext& under) { return read_as_told(state, under); });
}

KeyReading KeyReader::read_as_told(const KeyState& state, const KeyContext& context) {
  const Numbers numbers = state.type == StateType::string ? numbers_in(state.value) : Numbers{};
  KeyReading reading;
  reading.shape = shape_of(state, numbers);
  if (!told_ && take_layout(layout_reader_.read({&state, 1}, context), reading)) return reading;
  // A log and the fields of a hash are distinctive; one number may be anything.
  reading.guess = !told_ && state.type == StateType::string;
  const bool lone = reading.guess && reading.shape == Shape::counter && numbers.size() == 1;
  if (lone && (says_what_is_left(state.key) || !may_count(state, context.policy))) {
    // Layouts of counts refuse a fraction, so the one that fits reads something else: a time.
    const bool whole = std::trunc(numbers.front()) == numbers.front();
    if (reading.layout.fits() && !whole) return reading;
    const bool has_companions = reading.layout.has_companions;
    reading.layout = {};
    reading.layout.has_companions = has_companions;
    return reading;
  }
  std::vector<Match> matches;
  for (const Candidate& candidate : candidates_)
    if (const auto found = match(candidate, state, context, numbers)) matches.push_back(*found);
  std::ranges::stable_sort(matches, {}, &Match::missing);
  if (context.policy.limit > 0 && !matches.empty())
    std::erase_if(matches, [least = matches.front().missing](const Match& match) {
      return match.missing > least;
    });
  const bool strange =
      told_ ? !may_be_told(state, numbers) : !reading.layout.fits() && is_of_others(state, context);
  if (matches.empty() && strange) reading.shape = Shape::none;
  if (matches.empty())
    read_foreign(state, context, numbers, reading);
  else
    take_matches(matches, state, context, reading);
  if (reading.layout.used && reading.used && std::abs(*reading.used - *reading.layout.used) > 0.5)
    reading.used.reset();
  else if (reading.layout.fits() && !reading.used) {
    reading.guess = true;
    reading.used = reading.layout.used;
    if (reading.shape == Shape::none) reading.shape = Shape::bucket;
  }
  return reading;
}

// Whether the layouts say all there is to say: if other software may name its keys so, too, their
// names are kept beside the guess.
bool KeyReader::take_layout(LayoutReading layout, KeyReading& reading) {
  reading.layout = std::move(layout);
  if (!reading.layout.fits() || reading.layout.is_common_name) return false;
  if (reading.shape == Shape::none) reading.shape = Shape::bucket;
  reading.used = reading.layout.used;
  reading.kind = reading.layout.kind;
  if (reading.layout.frees_us) reading.frees_us = rounded_us(*reading.layout.frees_us);
  return true;
}

KeyReading KeyReader::read_together(std::span<const KeyState> states, const KeyContext& context) {
  if (told_ || states.size() == 1) return read(states.front(), context);
  return read_by_own_rule(states.front().key, context,
                          [&](const KeyContext& under) { return join(states, under); });
}

KeyReading KeyReader::join(std::span<const KeyState> states, const KeyContext& context) {
  KeyReading reading;
  LayoutReading layout = layout_reader_.read(states, context);
  const bool common = std::exchange(layout.is_common_name, false);
  reading.shape = read(states.front(), context).shape;
  take_layout(std::move(layout), reading);
  reading.guess = reading.layout.is_common_name = common;
  return reading;
}

std::optional<double> KeyReading::limit_under(const Policy& policy) const {
  if (layout.limit) return layout.limit;
  const Policy& known = policy_for(kind, policy_under(policy));
  if (known.limit == 0) return own_limit;
  return static_cast<double>(known.bucket_capacity());
}

// Several algorithms may store the same state. Where they disagree, the value is not known.
void KeyReader::take_matches(const std::vector<Match>& matches, const KeyState& state,
                             const KeyContext& context, KeyReading& reading) {
  const Match& first = matches.front();
  const Manifest& manifest = first.candidate->manifest;
  for (const Match& match : matches) reading.algorithms.push_back(match.candidate->name);
  if (reading.shape == Shape::none) reading.shape = Shape::bucket;
  if (matches.size() == 1) reading.words = manifest.state.words;
  const auto differs = [&](const Match& match) {
    return match.used.has_value() != first.used.has_value() ||
           (first.used && std::abs(*match.used - *first.used) > 0.5);
  };
  if (std::ranges::any_of(matches, differs)) return;
  reading.used = first.used;
  reading.kind = first.candidate->kind;
  reading.frees_us = first.frees_us;
  if (reading.frees_us || !reading.used) return;
  if (reading.shape == Shape::log) reading.frees_us = log_frees_us(state, context);
  if (reading.is_bucket()) reading.frees_us = bucket_frees_us(*reading.used, context.policy);
}

bool is_hash_that_counts(const KeyState& state, const KeyReading& reading) {
  return state.type == StateType::hash && reading.fields_say != FieldsSay::blocked &&
         (reading.used || reading.own_limit || !reading.algorithms.empty() ||
          reading.layout.fits());
}

bool is_block_flag(const KeyState& state, const KeyReading& reading) {
  if (reading.layout.blocks) return true;
  return is_block_key(state.key) && may_be_flag(state) && !is_hash_that_counts(state, reading);
}

Beside with_key(Beside beside, const KeyState& state, const KeyReading& reading) {
  if (!state.exists() || !state.problem.empty() || beside == Beside::limiter) return beside;
  return reading.shape == Shape::none ? Beside::other_data : Beside::limiter;
}

std::string short_value_of(const KeyState& state) {
  constexpr std::size_t kMostBytes = 100;
  std::string text = state.value.substr(0, kMostBytes);
  for (const auto& [name, value] : state.fields) {
    if (text.size() > kMostBytes) break;
    if (!text.empty()) text += ' ';
    (text += name) += '=';
    text += value;
  }
  return text;
}

std::optional<double> use_of(const KeyState& state, const KeyReading& reading) {
  if (reading.used) return reading.used;
  if (reading.shape == Shape::log) return static_cast<double>(state.length);
  return std::nullopt;
}

}  // namespace rlctl
