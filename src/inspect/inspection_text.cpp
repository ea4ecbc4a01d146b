#include "inspect/inspection_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/escape.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "inspect/limiter_row.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostBytes = 120;

std::string cut(const std::string& bytes) {
  if (bytes.size() > kMostBytes) return escape_for_terminal(bytes.substr(0, kMostBytes)) + "...";
  return escape_for_terminal(bytes);
}

std::string listed(const std::vector<std::string>& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += escape_for_terminal(names[i]);
  }
  return text;
}

std::string count_or_many(std::int64_t count, const char* one, const char* several) {
  return count < 0 ? fmt::format("many {}", several) : counted(count, one, several);
}

// "sorted set of 20 times in µs". Of what is no limiter's data only the type and the size: a
// session or a token is not shown to everybody who reads the output.
std::string what_it_holds(const KeyState& state, Shape shape) {
  switch (state.type) {
    case StateType::zset:
    case StateType::list: {
      const char* type = state.type == StateType::zset ? "sorted set" : "list";
      if (shape != Shape::log)
        return fmt::format("{} of {}", type, counted(state.length, "entry", "entries"));
      return fmt::format("{} of {} in {}", type, counted(state.length, "time", "times"),
                         state.time_unit);
    }
    case StateType::hash: {
      std::string text = "hash of " + count_or_many(state.length, "field", "fields");
      if (shape == Shape::none) return text;
      text += ':';
      for (std::size_t i = 0; i < state.fields.size() && i < 8; ++i)
        text += fmt::format(" {}={}", cut(state.fields[i].first), cut(state.fields[i].second));
      return text;
    }
    case StateType::string: {
      if (shape == Shape::counter) return "number " + cut(state.value);
      if (shape == Shape::time) return "number that may be a time: " + cut(state.value);
      return fmt::format("string of {}{}", count_or_many(state.length, "byte", "bytes"),
                         shape == Shape::none ? "" : ": " + in_quotes(state.value));
    }
    case StateType::none:
      break;
  }
  return "a " + escape_for_terminal(state.type_name) + ", a type that no limiter uses";
}

std::string expiry_in_words(const KeyState& state) {
  if (state.ttl_ms >= 0) return "expires in " + format_duration_for_people(us_of_ms(state.ttl_ms));
  if (!state.expiry_problem.empty()) return "this user may not read its expiry";
  return state.ttl_ms == kNoKey ? "expired in the meantime" : "never expires";
}

std::string expiry_in_words(const InspectedKey& key) {
  if (!key.is_stuck()) return expiry_in_words(key.state);
  return "STUCK: it never expires, so it is never reset";
}

// What a number means if it counts requests, which nobody says.
std::string hint(const InspectedKey& key, const Policy& policy) {
  const KeyReading& reading = key.reading;
  if (!reading.guess || reading.shape != Shape::counter || !reading.used) return {};
  std::vector<std::string> names = reading.layout.names;
  names.insert(names.end(), reading.algorithms.begin(), reading.algorithms.end());
  std::string text = "if it counts requests";
  if (!names.empty()) text += ", as " + listed(names, " or ") + " would store it";
  if (const auto limit = reading.limit_under(policy))
    text += fmt::format(", {:.0f} of {:.0f} are used{}", *reading.used, *limit,
                        reading.doubt_in_words());
  else
    text += fmt::format(", {:.0f} {} used", *reading.used, *reading.used == 1 ? "is" : "are");
  if (key.is_perhaps_stuck()) text += ", and it is never reset";
  return text + "; --algo NAME says what it is";
}

// A bucket's numbers are no limit of what counts by windows: none is claimed.
std::string note_on_policy(const InspectedKey& key, const Policy& of_all) {
  const Policy& policy = key.reading.policy_under(of_all);
  if (policy.limit == 0 || policy_for(key.reading.kind, policy).limit > 0) return {};
  if (!use_of(key.state, key.reading) || key.reading.layout.limit) return {};
  return "the policy is that of a bucket, and this is none: it tells no limit of it";
}

std::string storage_in_words(const KeyState& state, bool idle_disturbed) {
  std::string text;
  if (state.memory_bytes >= 0) text = "≈ " + format_bytes(state.memory_bytes);
  if (!state.encoding.empty()) text += " as " + escape_for_terminal(state.encoding);
  if (state.idle_s >= 0) {
    const std::string idle = state.idle_s < 60
                                 ? fmt::format("{} s", state.idle_s)
                                 : format_duration_for_people(state.idle_s * 1'000'000);
    text += "; idle for " + idle + (idle_disturbed ? " until this reading" : "");
  }
  return text;
}

std::string who_keeps_it(const KeyReading& reading, const std::string& key) {
  if (reading.is_of_library()) {
    const auto words = reading.layout.words.find(key);
    const bool known = words != reading.layout.words.end() && !words->second.empty();
    return "as " + listed(reading.layout.names, " or ") + " stores it" +
           (known ? ": " + escape_for_terminal(words->second) : "");
  }
  std::vector<std::string> names = reading.layout.names;
  names.insert(names.end(), reading.algorithms.begin(), reading.algorithms.end());
  if (names.empty()) return {};
  if (reading.guess) return {};  // hint() names them
  std::string text = "as " + listed(names, " or ") + " stores it";
  if (!reading.words.empty()) text += ": " + escape_for_terminal(reading.words);
  return text;
}

// The part of a member besides its time; the shipped scripts write the time first.
std::string member_beside_time(const Entry& entry) {
  const std::string us = std::to_string(*entry.at_us);
  const bool tells_more = !entry.member.starts_with(us.substr(0, 10));
  return tells_more ? cut(entry.member) : std::string();
}

std::string entries_table(const KeyState& state, std::int64_t most, std::int64_t now_us) {
  const auto shown = std::min<std::size_t>(state.entries.size(), static_cast<std::size_t>(most));
  const std::int64_t older = state.length - static_cast<std::int64_t>(shown);
  std::string text;
  if (older > 0 && shown > 0) text = fmt::format("    … and {} older\n", format_count(older));
  Table table({{""}, {"", Align::right}, {""}}, 4);
  for (const Entry& entry : std::span(state.entries).last(shown)) {
    if (!entry.at_us) {
      table.add_row({cut(entry.member)});
      continue;
    }
    const std::int64_t age_us = now_us - *entry.at_us;
    table.add_row({format_instant(*entry.at_us) + " UTC",
                   age_us >= 0 ? format_duration_for_people(age_us) + " ago"
                               : "in " + format_duration_for_people(-age_us) + ", in the future",
                   member_beside_time(entry)});
  }
  return text + table.text();
}

std::string unreadable(const KeyState& state) {
  if (state.is_lost) return "not seen: " + escape_for_terminal(state.problem);
  return "can't be read: " +
         with_hint(escape_for_terminal(state.problem), hint_for_error(state.problem));
}

std::string line(const std::string& text) { return text.empty() ? text : "    " + text + "\n"; }

std::string key_text(const InspectedKey& key, const Inspection& inspection,
                     const InspectionOptions& options, bool idle_disturbed) {
  std::string text;
  if (key.state.key != inspection.name || inspection.keys.size() > 1)
    text = "  " + name_cell(key.state.key) + "\n";
  if (!key.state.problem.empty()) return text + line(unreadable(key.state));
  const bool told = inspection.keys.size() == 1 && key.reading.guess &&
                    key.reading.shape == Shape::counter;  // beside the name
  if (!told) text += line(what_it_holds(key.state, key.reading.shape));
  text += line(who_keeps_it(key.reading, key.state.key));
  text += line(expiry_in_words(key)) + line(storage_in_words(key.state, idle_disturbed));
  text += line(hint(key, options.policy)) + line(note_on_policy(key, options.policy));
  if (key.state.live && key.state.live->count < key.state.length)
    text += line(counted(key.state.length - key.state.live->count, "entry", "entries") +
                 " outside the window, not yet removed");
  if (!key.state.refused.empty())
    text += line("this user may not run " + listed(key.state.refused, " and "));
  const bool has_entries = key.state.type == StateType::zset || key.state.type == StateType::list;
  if (has_entries && key.reading.shape != Shape::none)
    text += entries_table(key.state, options.most_entries, inspection.now.us);
  return text;
}

const char* why_perhaps(const BlockFlag& block, const KeyState& state) {
  if (!block.may_not_block) return ": perhaps a block flag, but no limiter is beside it";
  if (state.type == StateType::hash)
    return ": perhaps a block flag: limiters that ask only if it exists deny";
  return ": perhaps a block flag: its value says no, but limiters that ask only if it exists deny";
}

std::string block_text(const Inspection& inspection) {
  const BlockFlag& block = inspection.block;
  if (!inspection.block_state.problem.empty())
    return "  " + escape_for_terminal(block.key) + "\n" + line(unreadable(inspection.block_state));
  const KeyState& state = inspection.block_state;
  if (!block.is_set && (!state.exists() || state.type == StateType::string)) return {};
  std::string text = "  " + escape_for_terminal(block.key) + "\n";
  if (!block.is_set) return text + line("not a block flag: " + what_it_holds(state, Shape::none));
  if (block.may_be_other)
    return text + line(what_it_holds(state, Shape::none) + ", " + expiry_in_words(state) +
                       why_perhaps(block, state));
  if (block.end_unknown)
    return text + line("block flag " + in_quotes(inspection.block_state.value) +
                       ", of which this user may not read the expiry");
  if (!block.left_us)
    return text + line("STUCK: block flag " + in_quotes(inspection.block_state.value) +
                       " that never expires");
  return text + line(fmt::format("block flag for {}, until {} UTC",
                                 format_duration_for_people(*block.left_us),
                                 format_instant(block.ends_us)));
}

Json entry_json(const Entry& entry, const KeyState& state, std::int64_t now_us) {
  Json json;
  if (entry.at_us) {
    json["at_us"] = *entry.at_us;
    json["age_us"] = now_us - *entry.at_us;
  }
  if (state.type == StateType::zset || !entry.at_us) put_bytes(json, "member", entry.member);
  return json;
}

// As in the text: nothing of what is no limiter's data.
void put_content(Json& json, const InspectedKey& key, std::int64_t most, std::int64_t now_us) {
  const KeyState& state = key.state;
  if (key.reading.shape == Shape::none) return;
  if (state.type == StateType::string) put_bytes(json, "value", state.value);
  if (state.type == StateType::hash) {
    json["fields"] = Json::array();
    for (const auto& [name, value] : state.fields) {
      Json field;
      put_bytes(field, "name", name);
      put_bytes(field, "value", value);
      json["fields"].push_back(std::move(field));
    }
  }
  if (state.type != StateType::list && state.type != StateType::zset) return;
  if (state.live) json["live"] = state.live->count;
  json["entries"] = Json::array();
  const auto shown = std::min<std::size_t>(state.entries.size(), static_cast<std::size_t>(most));
  for (const Entry& entry : std::span(state.entries).last(shown))
    json["entries"].push_back(entry_json(entry, state, now_us));
}

Json library_json(const KeyReading& reading) {
  const LayoutReading& layout = reading.layout;
  Json json;
  json["layouts"] = layout.names;
  put_bytes(json, "client", layout.client);
  if (!layout.client_may_be.empty()) put_bytes(json, "client_may_be", layout.client_may_be);
  json["unit"] = layout.unit;
  put_number(json, "used", layout.used, reading.guess);
  put_number(json, "left", layout.left, reading.guess);
  json["limit"] = or_null(layout.limit);
  json["window_us"] = or_null(layout.window_us);
  json["frees_us"] = or_null(layout.frees_us);
  json["guess"] = reading.guess;
  return json;
}

Json key_json(const InspectedKey& key, const InspectionOptions& options, std::int64_t now_us) {
  const KeyState& state = key.state;
  Json json;
  put_bytes(json, "key", state.key);
  if (!state.problem.empty()) {
    put_bytes(json, "problem", state.problem);
    return json;
  }
  json["type"] = escape_for_terminal(state.type_name);
  json["shape"] = name_of(key.reading.shape);
  json["algorithms"] = key.reading.algorithms;
  json["layouts"] = key.reading.layout.names;
  json["guess"] = key.reading.guess;
  json["ttl_ms"] = state.ttl_ms >= 0 ? Json(state.ttl_ms) : nullptr;
  json["stuck"] = key.has_hidden_expiry() ? Json(nullptr) : Json(key.is_stuck());
  if (key.is_perhaps_stuck()) json["perhaps_stuck"] = true;
  json["length"] = state.length;
  if (key.reading.used) json[key.reading.guess ? "used_if_it_counts" : "used"] = *key.reading.used;
  if (key.reading.frees_us) json["frees_us"] = *key.reading.frees_us;
  if (!state.time_unit.empty())
    json["time_unit"] = state.time_unit == "µs" ? "us" : state.time_unit;
  if (state.memory_bytes >= 0) json["memory_bytes_estimate"] = state.memory_bytes;
  if (!state.encoding.empty()) json["encoding"] = escape_for_terminal(state.encoding);
  if (state.idle_s >= 0) json["idle_s"] = state.idle_s;
  if (!state.refused.empty()) json["refused"] = state.refused;
  put_content(json, key, options.most_entries, now_us);
  return json;
}

}  // namespace

std::string to_text(const Inspection& inspection, const InspectionOptions& options,
                    bool idle_disturbed) {
  std::string text = name_cell(inspection.name);
  const std::string words = in_words(inspection, options.policy);
  text += (words.empty() ? "" : ": " + words) + "\n";
  for (const InspectedKey& key : inspection.keys)
    text += key_text(key, inspection, options, idle_disturbed);
  if (!inspection.now.from_redis) text += "  times by rlctl's clock: Redis did not tell its time\n";
  return text + block_text(inspection);
}

std::string in_words(const KeyState& state, const KeyReading& reading) {
  if (state.is_lost) return unreadable(state);
  if (!state.problem.empty()) return "can't be read: " + escape_for_terminal(state.problem);
  return what_it_holds(state, reading.shape) + ", " + expiry_in_words(state);
}

Json to_json(const Inspection& inspection, const InspectionOptions& options) {
  Json json;
  put_bytes(json, "name", inspection.name);
  json["words"] = in_words(inspection, options.policy);
  json["state"] = state_in_json(row_of(inspection, options.policy), inspection.now.us);
  if (const KeyReading* reading = inspection.only_reading(); reading && reading->layout.fits())
    json["library"] = library_json(*reading);
  json["keys"] = Json::array();
  for (const InspectedKey& key : inspection.keys)
    json["keys"].push_back(key_json(key, options, inspection.now.us));
  Json block;
  put_bytes(block, "key", inspection.block.key);
  const KeyState& flag = inspection.block_state;
  const bool is_known = flag.problem.empty() && !inspection.block.may_be_other;
  block["blocked"] = is_known ? Json(inspection.block.is_set) : Json(nullptr);
  if (!flag.problem.empty()) put_bytes(block, "problem", flag.problem);
  if (inspection.block.may_be_other) block["perhaps_blocked"] = true;
  block["for_ever"] = inspection.block.is_for_ever() && !inspection.block.may_be_other;
  if (inspection.block.left_us) {
    block["left_us"] = *inspection.block.left_us;
    block["ends_us"] = inspection.block.ends_us;
  }
  json["block"] = std::move(block);
  return json;
}

}  // namespace rlctl
