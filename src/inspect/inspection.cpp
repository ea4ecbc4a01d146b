#include "inspect/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "inspect/overview.h"
#include "inspect/stored_time.h"

namespace rlctl {
namespace {

// Nothing is admitted before a block ends.
std::string admits_in_words(std::int64_t frees_us, const BlockFlag& block) {
  if (frees_us <= 0 || (block.is_set && !block.left_us)) return {};
  const std::int64_t admits_us = block.is_set ? std::max(frees_us, *block.left_us) : frees_us;
  return "the next is admitted in " + format_duration_for_people(admits_us);
}

std::string frees_in_words(const KeyReading& reading, const BlockFlag& block) {
  const std::string when = format_duration_for_people(std::max<std::int64_t>(0, *reading.frees_us));
  if (reading.shape == Shape::log) return "the oldest entry expires in " + when;
  if (reading.is_bucket()) return admits_in_words(*reading.frees_us, block);
  return "the window ends in " + when;
}

void append(std::string& sentence, const std::string& part) {
  if (part.empty()) return;
  if (!sentence.empty()) sentence += "; ";
  sentence += part;
}

// "7 of 10 tokens left", "18 of 20 used".
std::string numbers_in_words(const KeyReading& reading, const Policy& policy) {
  const LayoutReading& layout = reading.layout;
  const std::optional<double> limit = reading.limit_under(policy);
  if (layout.left && layout.counts_down) {
    const std::string of = limit ? " of " + format_use(*limit) : "";
    return format_use(std::floor(*layout.left)) + of + ' ' + layout.unit + " left";
  }
  if (!reading.used) return {};
  return format_use(*reading.used) + (limit ? " of " + format_use(*limit) : "") + " used";
}

// "refill 10/1s", "limit 100/1m": what the keys or the user tell, and what is stale without them.
std::string limit_in_words(const KeyReading& reading, const Policy& of_all) {
  const Policy& policy = reading.policy_under(of_all);
  const LayoutReading& layout = reading.layout;
  if (!layout.stale.empty()) return layout.stale;
  const auto window_us = layout.window_us ? rounded_us(*layout.window_us) : policy.window_us;
  if (reading.is_bucket() && policy.limit > 0)
    return "refill " + format_count(policy.limit) + '/' + format_duration(window_us);
  if (!layout.limit || !layout.window_us) return {};
  if (reading.kind && !row_of(*reading.kind).takes_window) return {};
  return "limit " + format_use(*layout.limit) + '/' + format_duration(window_us);
}

std::string use_in_words(const KeyReading& reading, const KeyState& state, const Policy& policy) {
  if (reading.guess && reading.shape == Shape::counter)
    return "the number " + escape_for_terminal(state.value);
  std::string words = numbers_in_words(reading, policy);
  if (words.empty() && reading.shape == Shape::log)
    return counted(state.length, "entry", "entries");
  if (reading.guess && !words.empty()) words += ", if it counts requests";
  if (!words.empty()) words += reading.doubt_in_words();
  const std::string limit = reading.layout.fits() ? limit_in_words(reading, policy) : "";
  return words + (words.empty() || limit.empty() ? "" : ", ") + limit;
}

// "spring-cloud-gateway, client 203.0.113.7", "…, client api.ann, or a route and a client".
std::string library_in_words(const LayoutReading& layout) {
  if (!layout.fits() || layout.is_common_name) return {};
  const std::string client = escape_for_terminal(layout.client);
  return escape_for_terminal(joined(layout.names, " or ")) +
         (client.empty() ? "" : ", client " + client) +
         (layout.client_may_be.empty() ? "" : ", or " + escape_for_terminal(layout.client_may_be));
}

std::string blocked_in_words(const BlockFlag& block) {
  if (!block.is_set) return {};
  if (block.may_be_other) return "perhaps blocked";
  if (block.end_unknown) return "blocked: this user may not read for how long";
  if (!block.left_us) return "blocked for ever: the flag does not expire";
  return "blocked for " + format_duration_for_people(*block.left_us);
}

std::string said_in_words(FieldsSay said) {
  if (said == FieldsSay::no_limit) return kNoLimit;
  if (said < FieldsSay::full) return {};
  return std::string("perhaps ") + (said == FieldsSay::full ? "full" : "blocked") +
         ", as its fields say";
}

Task<InspectedKey> inspect_key(Redis& redis, KeyReader& reader, std::string key,
                               InspectionOptions options, std::int64_t now_us) {
  InspectedKey inspected;
  inspected.state =
      co_await read_key_state(redis, std::move(key), options.most_entries, IfLost::tell);
  const KeyState& state = inspected.state;
  const KeyContext context{options.policy, now_us};
  inspected.reading = reader.read(state, context);
  const bool log = !state.time_unit.empty() && state.problem.empty();
  const double window_us = inspected.reading.layout.window_us.value_or(static_cast<double>(
      policy_for({}, inspected.reading.policy_under(options.policy)).window_us));
  if (!log || window_us <= 0) co_return inspected;
  inspected.state.live = co_await read_live_entries(redis, state, now_us - rounded_us(window_us));
  inspected.reading = reader.read(state, context);
  co_return inspected;
}

// The window of keys that are read together may be in one of them, and the log in another.
Task<> read_live(Redis& redis, std::vector<InspectedKey>& keys, const LayoutReading& layout,
                 std::int64_t now_us) {
  if (!layout.window_us) co_return;
  for (InspectedKey& key : keys)
    if (!key.state.time_unit.empty() && !key.state.live)
      key.state.live =
          co_await read_live_entries(redis, key.state, now_us - rounded_us(*layout.window_us));
}

// A key that is read with others says what it holds; what that comes to is said of all.
void take_part(const KeyReading& together, InspectedKey& key) {
  if (!together.layout.words.contains(key.state.key) || together.layout.words.size() == 1) return;
  const Shape shape = key.reading.shape;
  key.reading = {};
  key.reading.shape = shape;
  key.reading.layout = together.layout;
}

std::optional<KeyReading> read_together(const Inspection& inspection, KeyReader& reader,
                                        const Policy& policy) {
  std::vector<KeyState> states;
  for (const InspectedKey& key : inspection.keys)
    if (key.reading.layout.has_companions) states.push_back(key.state);
  if (states.empty()) return std::nullopt;
  KeyReading reading = reader.read_together(states, {policy, inspection.now.us});
  return reading.layout.fits() ? std::optional(std::move(reading)) : std::nullopt;
}

// A library may give its flag a name of its own. Then it is one of the keys that were found.
void take_flag(Inspection& inspection) {
  const auto flag = std::ranges::find_if(inspection.keys, [](const InspectedKey& key) {
    return is_block_flag(key.state, key.reading);
  });
  if (flag == inspection.keys.end()) return;
  inspection.block_state = std::move(flag->state);
  inspection.block_layout = std::move(flag->reading.layout);
  inspection.keys.erase(flag);
}

// What has the name of a flag may be the limiter of a client "blocked".
void take_what_counts(Inspection& inspection, KeyReading reading) {
  KeyState& state = inspection.block_state;
  if (reading.layout.blocks || !is_hash_that_counts(state, reading)) return;
  KeyState absent;
  absent.key = state.key;
  inspection.keys.push_back({std::exchange(state, std::move(absent)), std::move(reading)});
}

}  // namespace

const KeyReading* Inspection::only_reading() const {
  if (together) return &*together;
  return keys.size() == 1 ? &keys.front().reading : nullptr;
}

bool Inspection::is_partial() const {
  return !block_state.problem.empty() || block.end_unknown || block.may_be_other ||
         std::ranges::any_of(keys, [](const InspectedKey& key) {
           return !key.state.problem.empty() || key.has_hidden_expiry();
         });
}

bool Inspection::exists() const {
  return block_state.exists() ||
         std::ranges::any_of(keys, [](const InspectedKey& key) { return key.state.exists(); });
}

Task<Inspection> inspect_limiter(Redis& redis, KeyReader& reader, LimiterKeys limiter,
                                 InspectionOptions options) {
  Inspection inspection;
  inspection.name = limiter.name;
  inspection.now = co_await read_time(redis);
  const std::int64_t now_us = inspection.now.us;
  for (std::string& key : limiter.keys)
    inspection.keys.push_back(co_await inspect_key(redis, reader, std::move(key), options, now_us));
  inspection.together = read_together(inspection, reader, options.policy);
  if (inspection.together) {
    co_await read_live(redis, inspection.keys, inspection.together->layout, now_us);
    inspection.together = read_together(inspection, reader, options.policy);
    for (InspectedKey& key : inspection.keys) take_part(*inspection.together, key);
  }
  inspection.block_state = co_await read_key_state(redis, limiter.block_key, 1, IfLost::tell);
  take_flag(inspection);
  if (inspection.block_state.type == StateType::hash)
    take_what_counts(inspection, reader.read(inspection.block_state, {options.policy, now_us}));
  if (is_block_key(inspection.block_state.key))
    for (const InspectedKey& key : inspection.keys)
      inspection.block_state.beside =
          with_key(inspection.block_state.beside, key.state, key.reading);
  inspection.block = flag_of(inspection.block_state, now_us);
  inspection.block.may_be_other = row_of(inspection, options.policy).is_flag_in_doubt();
  co_return inspection;
}

LimiterRow row_of(const Inspection& inspection, const Policy& policy) {
  LimiterRow row;
  row.name = inspection.name;
  for (const InspectedKey& key : inspection.keys)
    if (key.state.exists() && (key.reading.shape != Shape::none || !key.state.problem.empty()))
      add_key(row, inspection.name, key.state, key.reading, policy, inspection.now.us);
  if (inspection.together)
    set_use(row, inspection.keys.front().state, *inspection.together, policy, inspection.now.us);
  set_flag(row, inspection.block, inspection.block_layout);
  if (row.problem.empty()) row.problem = inspection.block_state.problem;
  return row;
}

std::string in_words(const Inspection& inspection, const Policy& policy) {
  const KeyReading* reading = inspection.only_reading();
  std::string sentence;
  if (reading != nullptr)
    append(sentence, use_in_words(*reading, inspection.keys.front().state, policy));
  append(sentence, blocked_in_words(inspection.block));
  if (reading != nullptr) append(sentence, said_in_words(reading->fields_say));
  const bool number = reading != nullptr && reading->guess && reading->shape == Shape::counter;
  if (reading != nullptr && !number && reading->frees_us && reading->used.value_or(0) > 0)
    append(sentence, frees_in_words(*reading, inspection.block));
  const std::string library =
      library_in_words(reading != nullptr ? reading->layout : inspection.block_layout);
  return library + (library.empty() || sentence.empty() ? "" : ": ") + sentence;
}

}  // namespace rlctl
