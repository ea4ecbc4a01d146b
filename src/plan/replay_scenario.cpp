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

// Why no shipped algorithm keeps the rules exactly, on the virtual clock: an hour is not waited
// for. Null: one does.
const char* why_not_played(const Rules& rules) {
  const Rule& rule = rules.front();
  const struct {
    bool applies;
    const char* why;
  } reasons[] = {
      {rules.size() > 1, "several rules at once"},
      {rule.kind == RuleKind::first_hit, "windows that begin at a request, as keys expire there"},
      {!rule.has_window(), "a limit of requests in flight"},
      {rule.counts_denied, "a rule that counts denied requests"},
      {rule.step_us > 0, "a bucket that is refilled by steps"},
      {rule.has_unknown_phase(), "windows of which the start is unknown"},
  };
  for (const auto& [applies, why] : reasons)
    if (applies) return why;
  return nullptr;
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
  if (const char* const why = why_not_played(policy.rules))
    throw Error(
        Exit::usage,
        "--scenario: no shipped algorithm plays " + rules_text(policy.rules) +
            " on the virtual clock: none has " + why,
        "leave --scenario out, or plan with one rule like '10/1m', '10/1m fixed' or 'bucket "
        "10 + 10/1m'");
  Json scenario{
      {"name", "planned"},
      {"description", rules_text(policy.rules) + " by " + policy.by.text +
                          ", under the worst hour of the log that it was planned with"},
      {"clock", "virtual"},
      {"verdict", "holds"},
      {"policies",
       {{"planned",
         {{"algo", policy.rules.front().row().algorithm},
          {"rules", rules_text(policy.rules)},
          {"key", "planned:<ip>"}}}}},
      {"phases",
       Json::array({{{"name", "worst-hour"}, {"policy", "planned"}, {"replay", log_file}}})}};
  return scenario.dump(2) + "\n";
}

}  // namespace rlctl
