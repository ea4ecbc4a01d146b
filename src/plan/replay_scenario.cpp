#include "plan/replay_scenario.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

std::int64_t hour_of(const Record& record) {
  return record.received_us - record.received_us % kHourUs;
}

std::int64_t fullest_hour(const Log& log) {
  std::map<std::int64_t, std::int64_t> requests;
  for (const Record& record : log.records)
    if (record.key != kUncounted && record.outcome != Outcome::failed) ++requests[hour_of(record)];
  const auto most =
      std::ranges::max_element(requests, {}, [](const auto& hour) { return hour.second; });
  return most == requests.end() ? 0 : most->first;
}

std::int64_t worst_hour_us(const Log& log, const PolicyPlan& policy) {
  const auto worst = std::ranges::max_element(policy.hours, {},
                                              [](const auto& hour) { return hour.second.denied; });
  return worst == policy.hours.end() ? fullest_hour(log) : worst->first;
}

// The shipped algorithm that keeps the rule exactly, on the virtual clock: an hour is not waited
// for. Null: there is none.
const char* algorithm_for(const Rule& rule) {
  const bool in_real_time = rule.kind == RuleKind::first_hit;  // by the expiry of its key
  const bool is_plain = !rule.counts_denied && rule.step_us == 0 && !rule.has_unknown_phase();
  return is_plain && rule.has_window() && !in_real_time ? rule.row().algorithm : nullptr;
}

}  // namespace

Log worst_hour(const Arrivals& arrivals, const PolicyPlan& policy) {
  const Log& log = arrivals.log();
  const std::int64_t from_us = worst_hour_us(log, policy);
  Log hour;
  hour.policy = policy_of(policy.rules);
  hour.keys = policy.names;
  hour.identities = {""};
  hour.phases = {""};
  for (Record record : log.records) {
    if (record.key == kUncounted || record.outcome == Outcome::failed) continue;
    if (hour_of(record) != from_us) continue;
    record.intended_us = record.received_us;
    record.who = 0;
    record.phase = 0;
    record.target = 0;
    hour.records.push_back(record);
  }
  return hour;
}

std::string replay_scenario(const PolicyPlan& policy, const std::string& log_file) {
  const char* const algorithm =
      policy.rules.size() == 1 ? algorithm_for(policy.rules.front()) : nullptr;
  if (algorithm == nullptr)
    throw Error(Exit::usage,
                "--scenario: no shipped algorithm plays " + rules_text(policy.rules) +
                    " on the virtual clock",
                "plan with one rule, or write the scenario with a limiter of your own");
  Json scenario{
      {"name", "planned"},
      {"description", rules_text(policy.rules) + " by " + policy.by.text +
                          ", under the worst hour of the log that it was planned with"},
      {"clock", "virtual"},
      {"verdict", "holds"},
      {"policies",
       {{"planned",
         {{"algo", algorithm}, {"rules", rules_text(policy.rules)}, {"key", "planned:<ip>"}}}}},
      {"phases",
       Json::array({{{"name", "worst-hour"}, {"policy", "planned"}, {"replay", log_file}}})}};
  return scenario.dump(2) + "\n";
}

}  // namespace rlctl
