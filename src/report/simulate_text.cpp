#include "report/simulate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/stats.h"
#include "base/units.h"
#include "report/fault_text.h"
#include "report/picture/timeline.h"
#include "report/timeline_text.h"
#include "report/verify_text.h"
#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostSlicesInText = 40;

std::vector<Record> records_of(const Log& log, std::uint32_t phase) {
  std::vector<Record> records;
  for (const Record& record : log.records)
    if (record.phase == phase) records.push_back(record);
  return records;
}

// When the first denial came, and the longest time without an admission after a denial.
std::string bot_answer(std::vector<Record> records) {
  std::ranges::stable_sort(records, {}, moment_of);
  const auto first = std::ranges::find(records, Outcome::denied, record_outcome);
  if (first == records.end()) return "it was never denied";
  std::int64_t longest_us = 0;
  std::int64_t shut_since_us = kNoTime;
  for (const Record& record : records) {
    const std::int64_t at_us = moment_of(record);
    if (record.outcome == Outcome::allowed) shut_since_us = kNoTime;
    if (record.outcome != Outcome::denied) continue;
    if (shut_since_us == kNoTime) shut_since_us = at_us;
    longest_us = std::max(longest_us, at_us - shut_since_us);
  }
  const auto allowed = std::ranges::count(records, Outcome::allowed, record_outcome);
  return fmt::format(
      "first denial: request {}, after {}; {} of {} requests allowed; the longest series of "
      "denials "
      "lasted {}",
      first - records.begin() + 1,
      format_duration_for_people(moment_of(*first) - moment_of(records.front())),
      format_count(allowed), format_count(static_cast<std::int64_t>(records.size())),
      format_duration_for_people(longest_us));
}

std::string drain_answer(const Phase& phase, const Policy& policy, const PhaseResult& played) {
  const std::int64_t least_us = shortest_span(policy.rules, phase.items * phase.cost.from);
  const std::string least =
      least_us == 0 ? ""
                    : fmt::format("; the minimum at {} is {}", rate_in_words(policy.rules.front()),
                                  format_duration_for_people(least_us));
  return fmt::format(
      "{} of {} items done in {}, {} lost{}; {}", format_count(played.completed),
      format_count(phase.items), format_duration_for_people(played.ended_us - played.started_us),
      format_count(phase.items - played.completed), least, counted(played.denied, "denial"));
}

std::string flood_answer(const std::vector<Record>& records, const PhaseResult& played) {
  std::vector<std::int64_t> latencies_us;
  for (const Record& record : records)
    if (record.outcome <= Outcome::denied)
      latencies_us.push_back(record.received_us - record.intended_us);
  const auto decisions = static_cast<double>(latencies_us.size());
  const LatencySummary latency = summarize(std::move(latencies_us));
  const double seconds = static_cast<double>(played.ended_us - played.started_us) / 1e6;
  return fmt::format("{} decisions/s; latency p50 {}, p99 {}, max {}",
                     format_count(static_cast<std::int64_t>(decisions / std::max(seconds, 1e-6))),
                     format_duration_for_people(latency.p50),
                     format_duration_for_people(latency.p99),
                     format_duration_for_people(latency.max));
}

// One part for each kind of client: it shows whether a bad client hurts the good ones.
std::string kinds_answer(const Scenario& scenario, const std::vector<Record>& records) {
  std::string text;
  for (std::uint32_t who = 0; who < scenario.identities.size(); ++who) {
    std::int64_t all = 0;
    std::int64_t denied = 0;
    for (const Record& record : records) {
      all += record.who == who;
      denied += record.who == who && record.outcome == Outcome::denied;
    }
    if (!text.empty()) text += "; ";
    text += fmt::format("{}: {} of {} denied", scenario.identities[who].name, format_count(denied),
                        format_count(all));
  }
  return text;
}

std::string counts_answer(const PhaseResult& played) {
  std::string text = fmt::format("{} allowed, {} denied", format_count(played.allowed),
                                 format_count(played.denied));
  if (played.unknown > 0) text += fmt::format(", {} unknown", format_count(played.unknown));
  if (played.failed > 0) text += fmt::format(", {} failed", format_count(played.failed));
  if (played.late > 0) text += fmt::format(", {} sent late", format_count(played.late));
  if (played.dropped > 0) text += fmt::format(", {} dropped", format_count(played.dropped));
  return text;
}

std::string answer_of(const Scenario& scenario, const PhaseResult& played, const Log& log) {
  const Phase& phase = scenario.phases[played.phase];
  if (phase.model == TrafficModel::consumers)
    return drain_answer(phase, scenario.policies[phase.policy].policy, played);
  std::vector<Record> records = records_of(log, played.phase);
  if (records.empty()) return "nothing was sent";
  const std::string counts = counts_answer(played);
  if (phase.model == TrafficModel::users && scenario.clock == ScenarioClock::wall)
    return counts + "; " + flood_answer(records, played);
  if (phase.mix.size() > 1) return counts + "; " + kinds_answer(scenario, records);
  if (phase.model == TrafficModel::rate && scenario.identities[phase.mix[0].who].count == 1)
    return counts + "; " + bot_answer(std::move(records));
  return counts;
}

const PolicyResult* policy_of(const ScenarioResult& result, std::uint32_t policy) {
  const auto found = std::ranges::find(result.policies, policy, &PolicyResult::policy);
  return found == result.policies.end() ? nullptr : &*found;
}

// Clock-aligned windows matter only for limiters that use them, and for attacks on their edges.
std::int64_t edges_of(const Phase& phase, const Log& log) {
  const bool by_clock = std::ranges::any_of(log.contract, &Rule::has_known_phase) ||
                        phase.anchor == Anchor::window_edge;
  return by_clock ? log.policy.window_us : 0;
}

}  // namespace

VerifyResult as_verified(const ScenarioResult& result) {
  VerifyResult verified;
  std::uint64_t next_line = 1;
  for (const PolicyResult& policy : result.policies) {
    JudgedHistory history;
    history.parsed.log = policy.log;
    history.verdict = policy.verdict;
    // The lines that the records have in a file of --log, which begins with a header.
    history.parsed.lines.add(0, {0, next_line + 1});
    next_line += policy.log.records.size() + 1;
    verified.histories.push_back(std::move(history));
  }
  return verified;
}

std::vector<std::string> pattern_answers(const Scenario& scenario, const ScenarioResult& result) {
  std::vector<std::string> answers;
  for (const PhaseResult& played : result.phases) {
    const PolicyResult* policy = policy_of(result, scenario.phases[played.phase].policy);
    if (policy == nullptr) continue;
    answers.push_back(scenario.phases[played.phase].name + ": " +
                      answer_of(scenario, played, policy->log));
  }
  return answers;
}

std::string simulate_text(const Scenario& scenario, const ScenarioResult& result,
                          std::size_t width) {
  std::string text;
  for (const PhaseResult& played : result.phases) {
    const Phase& phase = scenario.phases[played.phase];
    const PolicyResult* policy = policy_of(result, phase.policy);
    if (policy == nullptr) continue;
    const Timeline timeline =
        make_timeline(policy->log, static_cast<std::uint8_t>(played.phase), kMostSlicesInText);
    text += fmt::format("{}\n{}\n",
                        answer_of(scenario, played, policy->log).insert(0, phase.name + ": "),
                        timeline_text(timeline, edges_of(phase, policy->log), width));
  }
  if (!result.faults.empty()) text += fault_text(scenario, result) + "\n";
  if (!result.policies.empty()) {
    VerifyResult verified = as_verified(result);
    if (result.is_cut_short())
      verified.histories.front().headline =
          result.sentence + "; until then, which is no verdict: " +
          verdict_sentence(scenario, verdict_found(scenario, result));
    else if (scenario.verdict != VerdictKind::holds || scenario.own_contract)
      verified.histories.front().headline = name_of(result.outcome) + (": " + result.sentence);
    text += verify_text(verified, width);
  }
  if (result.policies.empty() && result.is_cut_short()) text += result.sentence + "\n";
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace rlctl
