#include "log/log_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "policy/per.h"
#include "policy/target.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostFaults = 1'000;
constexpr std::size_t kMostRules = 100;
constexpr std::size_t kMostExpectations = 1'000;
constexpr std::size_t kMostPhases = 255;  // a record stores the phase in one byte

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Exit::usage, "the log's header: " + what,
              "correct the header, or remove it and use --policy");
}

// nlohmann's parser is safe at any depth, but its destructor and copies may not be.
bool is_shallow(std::string_view text) {
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (depth > kDeepestJson) return false;
  }
  return true;
}

const Json& field(const Json& object, const char* name) {
  static const Json nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

// nlohmann wraps around without an error, so we check the range.
std::int64_t whole(const Json& object, const char* name, std::int64_t most) {
  const Json& value = field(object, name);
  if (value.is_null()) return 0;
  const bool fits =
      value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) refuse(std::string(name) + " must be a whole number from 0 to " + format_count(most));
  return static_cast<std::int64_t>(value.get<std::uint64_t>());
}

std::int64_t duration(const Json& object, const char* name) {
  return whole(object, name, kLongestDurationUs);
}

std::string text(const Json& object, const std::string& name) {
  const Json& bytes = field(object, (name + "_b64").c_str());
  if (bytes.is_string()) {
    if (auto original = from_base64(bytes.get_ref<const std::string&>())) return *original;
    refuse(name + "_b64 is not base64");
  }
  const Json& value = field(object, name.c_str());
  if (value.is_null()) return {};
  if (!value.is_string()) refuse(name + " must be a text");
  return value.get<std::string>();
}

const Json* object(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (value.is_null()) return nullptr;
  if (!value.is_object()) refuse(std::string(name) + " must be an object");
  return &value;
}

Rule rule_of(const Json& json) {
  if (!json.is_object()) refuse("a rule must be an object");
  Rule rule;
  const std::string kind = text(json, "kind");
  const auto known = meaning_of<RuleKind>(kind);
  if (!known) refuse("unknown kind of rule " + in_quotes(kind));
  rule.kind = *known;
  rule.limit = whole(json, "limit", kMostCapacity);
  rule.window_us = duration(json, "window_us");
  if ((rule.window_us != 0) != rule.has_window())
    refuse(rule.has_window() ? "a rule has no window_us" : "a rule has a window_us it cannot use");
  rule.step_us = duration(json, "step_us");
  if (rule.step_us > 0 && !rule.has_whole_steps())
    refuse("step_us does not refill a bucket by a whole number");
  rule.lease_us = duration(json, "lease_us");
  rule.capacity = whole(json, "capacity", kMostCapacity);
  rule.block_us = duration(json, "block_us");
  const Json& counts_denied = field(json, "counts_denied");
  rule.counts_denied = counts_denied.is_boolean() && counts_denied.get<bool>();
  rule.phase_us = duration(json, "phase_us");
  rule.per = text(json, "per");
  if (const std::string problem = problem_of_per(rule.per); !rule.per.empty() && !problem.empty())
    refuse(problem);
  if (json.contains("phase_us") && field(json, "phase_us").is_null()) rule.phase_us.reset();
  return rule;
}

Rules rules_of(const Json& object, const char* name) {
  const Json& list = field(object, name);
  if (list.is_null()) return {};
  if (!list.is_array()) refuse(std::string(name) + " must be a list of rules");
  if (list.size() > kMostRules) refuse(fmt::format("{} has more than {} rules", name, kMostRules));
  Rules rules;
  for (const Json& rule : list) rules.push_back(rule_of(rule));
  return rules;
}

Policy policy_of(const Json& json) {
  Policy policy = rlctl::policy_of(rules_of(json, "rules"));
  policy.key = text(json, "key");
  policy.block_key = text(json, "block_key");
  return policy;
}

// Entries of the wrong type are ignored: faults do not affect the verdict.
std::vector<LoggedFault> faults_of(const Json& list) {
  std::vector<LoggedFault> faults;
  if (!list.is_array()) return faults;
  for (const Json& json : list) {
    if (!json.is_object() || !field(json, "at_us").is_number_integer()) continue;
    if (faults.size() == kMostFaults) break;
    const auto at_us = field(json, "at_us").get<std::int64_t>();
    const Json& ended = field(json, "ended_us");
    const bool lasted = ended.is_number_integer() && ended.get<std::int64_t>() > at_us;
    faults.push_back({text(json, "kind"), at_us, lasted ? ended.get<std::int64_t>() : at_us});
  }
  return faults;
}

std::vector<LoggedExpectation> expectations_of(const Json& list) {
  std::vector<LoggedExpectation> expectations;
  if (!list.is_array()) return expectations;
  for (const Json& json : list) {
    if (!json.is_object()) continue;
    if (expectations.size() == kMostExpectations) break;
    expectations.push_back({text(json, "that"), text(json, "result"), text(json, "measured")});
  }
  return expectations;
}

std::vector<std::string> targets_of(const Json& list) {
  std::vector<std::string> targets;
  if (!list.is_array()) return targets;
  if (list.size() > kMostTargets) refuse(fmt::format("more than {} targets", kMostTargets));
  for (const Json& json : list)
    if (json.is_object()) targets.push_back(text(json, "name"));
  return targets;
}

// What rules may count by: the log has a column of each name.
std::vector<NamedValues> names_of(const Json& list) {
  constexpr std::size_t kMostColumnNames = 20;
  std::vector<NamedValues> names;
  if (!list.is_array()) return names;
  if (list.size() > kMostColumnNames) refuse(fmt::format("more than {} names", kMostColumnNames));
  for (const Json& json : list)
    if (json.is_object()) names.emplace_back().name = text(json, "name");
  return names;
}

void add_names_in(const Rules& rules, std::vector<NamedValues>& names) {
  for (const std::string& name : names_in(rules))
    if (std::ranges::find(names, name, &NamedValues::name) == names.end())
      names.emplace_back().name = name;
}

Json parsed_line(std::string_view line) {
  if (line.starts_with('#')) line.remove_prefix(1);
  if (!is_shallow(line)) refuse("it is nested too deeply");
  return Json::parse(line, nullptr, false);
}

bool begins_with(std::string_view line, std::string_view name) {
  if (line.starts_with('#')) line.remove_prefix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line.starts_with('{') && line.substr(0, 40).find(name) != std::string_view::npos;
}

// A count, or a time since 1970. What is neither says nothing.
std::optional<std::int64_t> number(const Json& object, const char* name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;  // year 2255
  const Json& value = field(object, name);
  if (!value.is_number_unsigned() || value > kMost) return std::nullopt;
  return value.get<std::int64_t>();
}

// Each part of a run tells of the same phases.
void add_phase(const Json& json, std::vector<LoggedPhase>& phases) {
  const auto started_us = number(json, "started_us");
  const auto ended_us = number(json, "ended_us");
  if (!started_us || !ended_us) return;
  const LoggedPhase part{text(json, "name"), *started_us, *ended_us,
                         number(json, "dropped").value_or(0),
                         number(json, "completed").value_or(0)};
  const auto known = std::ranges::find(phases, part.name, &LoggedPhase::name);
  if (known == phases.end()) {
    if (phases.size() < kMostPhases) phases.push_back(part);
    return;
  }
  known->started_us = std::min(known->started_us, part.started_us);
  known->ended_us = std::max(known->ended_us, part.ended_us);
  known->dropped += part.dropped;
  known->completed += part.completed;
}

// What is no range of sensible times says nothing.
ClockRange clock_range_of(const Json& range) {
  constexpr std::int64_t kMostUs = std::int64_t{1} << 50U;  // 35 years
  const auto fits = [](const Json& bound) {
    return bound.is_number_integer() && bound >= -kMostUs && bound <= kMostUs;
  };
  if (!range.is_array() || range.size() != 2 || !fits(range[0]) || !fits(range[1])) return {};
  if (range[0] > range[1]) return {};
  return {range[0].get<std::int64_t>(), range[1].get<std::int64_t>()};
}

}  // namespace

bool is_log_header(std::string_view line) { return begins_with(line, "\"rlctl_log\""); }

namespace {

std::optional<double> share(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (value.is_null()) return std::nullopt;
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number >= 0 && number <= 1) return number;
  refuse(std::string(name) + " must be a share from 0 to 1");
}

JudgingTerms terms_of(const Json& json) {
  JudgingTerms terms;
  terms.tolerance_us = duration(json, "tolerance_us");
  terms.fresh = field(json, "fresh") == true;
  terms.fresh_is_promised = field(json, "fresh_is_promised") == true;
  if (json.contains("max_inflight_us")) terms.max_inflight_us = duration(json, "max_inflight_us");
  terms.held_at_least_us = duration(json, "held_at_least_us");
  terms.allowed_false_denials = share(json, "false_denials").value_or(0);
  return terms;
}

Budgets budgets_of(const Json& json) {
  Budgets budgets;
  for (const BudgetShare& one : kBudgetShares) budgets.*one.share = share(json, one.name);
  if (json.contains("late_after_us")) budgets.late_after_us = duration(json, "late_after_us");
  return budgets;
}

}  // namespace

bool is_log_mark(std::string_view line) { return begins_with(line, "\"rlctl_log"); }

std::optional<std::size_t> log_continued_by(std::string_view header) {
  const Json json = parsed_line(header);
  if (!json.is_object() || !json.contains("continues")) return std::nullopt;
  return static_cast<std::size_t>(whole(json, "continues", kMostCapacity));
}

std::optional<std::uint64_t> read_log_end(std::string_view line, Log& log) {
  if (!begins_with(line, "\"rlctl_log_end\"")) return std::nullopt;
  const Json json = parsed_line(line);
  const Json* end = json.is_object() ? object(json, "rlctl_log_end") : nullptr;
  if (end == nullptr || !field(*end, "records").is_number_unsigned()) return std::nullopt;
  log.server_ahead = clock_range_of(field(*end, "server_ahead_us"));
  if (log.faults.empty()) log.faults = faults_of(field(*end, "faults"));
  if (log.expectations.empty()) log.expectations = expectations_of(field(*end, "expectations"));
  if (const Json& stopped = field(*end, "stopped"); stopped.is_string())
    log.stopped = stopped.get<std::string>();
  if (const auto began_us = number(*end, "began_us"))
    log.began_us = log.began_us == kNoTime ? *began_us : std::min(log.began_us, *began_us);
  for (const Json& phase : field(*end, "phases"))
    if (phase.is_object()) add_phase(phase, log.played);
  return field(*end, "records").get<std::uint64_t>();
}

bool promises_end(std::string_view header) {
  const Json json = parsed_line(header);
  return json.is_object() && field(json, "ends") == true;
}

Log parse_log_header(std::string_view line) {
  const Json json = parsed_line(line);
  if (!json.is_object()) refuse("it is not a JSON object");
  if (whole(json, "rlctl_log", kMostCapacity) != 2)
    refuse("this rlctl reads log version 2, not " + dump_json(field(json, "rlctl_log")));
  Log log;
  log.algorithm = text(json, "algorithm");
  log.history = text(json, "history");
  log.run_id = text(json, "run_id");
  log.command = text(json, "command");
  log.expected = text(json, "expected");
  log.expected_own = text(json, "expected_own");
  log.version = text(json, "version");
  log.server = text(json, "server");
  log.servers = whole(json, "servers", kMostCapacity);
  log.clock = text(json, "clock");
  log.faults = faults_of(field(json, "faults"));
  log.expectations = expectations_of(field(json, "expectations"));
  log.targets = targets_of(field(json, "targets"));
  if (json.contains("shard")) log.shard = text(json, "shard");
  const Json& seed = field(json, "seed");
  if (seed.is_number_unsigned()) log.seed = seed.get<std::uint64_t>();
  log.timeout_us = duration(json, "timeout_us");
  log.terms = terms_of(json);
  if (const Json* budgets = object(json, "budgets")) log.budgets = budgets_of(*budgets);
  if (const Json* policy = object(json, "policy")) log.policy = policy_of(*policy);
  log.contract = rules_of(json, "contract");
  log.names = names_of(field(json, "names"));
  add_names_in(log.policy.rules, log.names);
  add_names_in(log.contract, log.names);
  const Json& finishes = field(json, "finishes");
  log.has_finishes = finishes.is_boolean() && finishes.get<bool>();
  return log;
}

}  // namespace rlctl
