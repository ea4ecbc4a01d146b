#include "scenario/playable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/units.h"
#include "scenario/length.h"

namespace rlctl {
namespace {

bool disturbs(const Fault& fault) { return fault.row().harm == Harm::passing; }

// From a fault's beginning to that of another one.
std::optional<std::int64_t> later_by_us(const Scenario& scenario, const Moment& from,
                                        const Moment& to) {
  if (from.phase == to.phase) return to.after_us - from.after_us;
  const std::optional<std::int64_t> from_us = planned_time_us(scenario, from);
  const std::optional<std::int64_t> to_us = planned_time_us(scenario, to);
  if (!from_us || !to_us) return std::nullopt;
  return *to_us - *from_us;
}

void check_pair(const Scenario& scenario, const Fault& first, const Fault& second) {
  const std::optional<std::int64_t> later_us = later_by_us(scenario, first.at, second.at);
  if (!later_us || *later_us < 0 || *later_us >= first.down_us) return;
  throw Error(Exit::usage,
              fmt::format("{} can't be played: {} still lasts then, for {} in all",
                          in_words(scenario, second), in_words(scenario, first),
                          format_duration(first.down_us)),
              fmt::format("let one of them end before the other begins: play {} {} later, or more",
                          second.row().name, format_duration(first.down_us - *later_us)));
}

}  // namespace

std::optional<Error> why_not_played(const FaultRow& fault, TargetKind target) {
  const bool over_http = target == TargetKind::http;
  if (fault.of_clients && (over_http || target == TargetKind::serve))
    return Error(Exit::usage, kNoClientClock, kDecidingClients);
  if (over_http)
    return Error(Exit::usage, "rlctl cannot reach the target's Redis",
                 "use an embedded or serve target");
  if (target == TargetKind::redis && fault.harm == Harm::lasting)
    return Error(Exit::usage, "rlctl does this only to a Redis that it started, never to yours",
                 "play it on a private server: without --redis; in a scenario, "
                 R"("target": {"kind": "embedded"})");
  return std::nullopt;
}

bool needs_permission(const Scenario& scenario) {
  return scenario.target.kind == TargetKind::redis &&
         std::ranges::any_of(scenario.faults, disturbs);
}

void check_faults(const Scenario& scenario, bool allowed) {
  for (const Fault& fault : scenario.faults) {
    const FaultRow& row = fault.row();
    if (const auto problem = why_not_played(row, scenario.target.kind))
      throw Error(Exit::usage, std::string(row.name) + ": " + problem->what(), problem->hint());
  }
  if (allowed || !needs_permission(scenario)) return;
  throw Error(Exit::usage,
              std::string(std::ranges::find_if(scenario.faults, disturbs)->row().name) +
                  ": this is a fault on a Redis that rlctl did not start",
              "if you may disturb that Redis, add --allow-faults");
}

std::string in_words(const Scenario& scenario, const Fault& fault) {
  const auto& [phase, after_us] = fault.at;
  std::string text = std::string(fault.row().name) + " at ";
  if (phase < 0) return text + format_duration(after_us);
  text += escape_for_terminal(scenario.phases[static_cast<std::size_t>(phase)].name);
  return after_us == 0 ? text : text + "+" + format_duration(after_us);
}

std::optional<Error> why_too_late(const Scenario& scenario, const Moment& moment) {
  if (!is_after_traffic(scenario, moment)) return std::nullopt;
  const std::int64_t from_us = planned_time_us(scenario, {moment.phase, 0}).value_or(0);
  const std::string end =
      format_duration_for_people(scenario_length_us(scenario).value_or(0) - from_us);
  return Error(Exit::usage,
               moment.phase < 0 ? "the traffic ends after " + end
                                : "the traffic ends " + end + " after the start of that phase",
               "name an earlier time, or send for longer");
}

std::string above_limit(const Rules& rules, std::int64_t cost) {
  if (rules.empty() || cost <= most_at_once(rules)) return {};
  const Rule& least = *std::ranges::min_element(rules, {}, &Rule::most_at_once);
  return "a request costs " + format_count(cost) + ", but the " +
         (least.row().takes_capacity ? "capacity" : "limit") + " is " +
         format_count(least.most_at_once());
}

bool retries_without_end(const Phase& phase) {
  const bool has_end = phase.model == TrafficModel::users && phase.duration_us > 0;
  return phase.on_deny != OnDeny::drop && phase.retries == 0 && !has_end;
}

bool excludes(const FaultRow& one, const FaultRow& other, bool is_cluster) {
  const auto takes_from = [](const FaultRow& taker, const FaultRow& asker) {
    return taker.redis == LiveRedis::ended && asker.redis != LiveRedis::any;
  };
  if (takes_from(one, other) || takes_from(other, one)) return !is_cluster;
  return one.meaning == other.meaning;
}

void check_faults_together(const Scenario& scenario, bool is_cluster) {
  for (const Fault& first : scenario.faults)
    for (const Fault& second : scenario.faults)
      if (&first != &second && excludes(first.row(), second.row(), is_cluster))
        check_pair(scenario, first, second);
}

}  // namespace rlctl
