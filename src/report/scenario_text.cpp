#include "report/scenario_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "arrivals/phase_traffic.h"
#include "base/escape.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/words.h"
#include "log/target_counts.h"
#include "report/evidence_text.h"
#include "report/fault_text.h"
#include "report/request_plan.h"
#include "report/simulate_text.h"
#include "report/target_text.h"

namespace rlctl {
namespace {

const char* headline_of(ScenarioOutcome outcome) {
  switch (outcome) {
    case ScenarioOutcome::passed:
      return "passed";
    case ScenarioOutcome::failed:
      return "FAILED";
    case ScenarioOutcome::inconclusive:
      return "INCONCLUSIVE";
    case ScenarioOutcome::could_not_run:
      break;
  }
  return "DID NOT RUN";
}

// What to do if the verdict is not the expected one.
std::string next_step(const Scenario& scenario, const ScenarioResult& result,
                      const AskedOfRun& asked) {
  if (!scenario.shard.is_whole())
    return fmt::format("judge the logs of all {} parts together: rlctl run {} --logs LOG LOG ...",
                       scenario.shard.count, shell_word(scenario.file));
  const VerdictFound found = verdict_found(scenario, result);
  if (found.verdict == VerdictKind::inconclusive && result.from_logs)
    return "see the reason above; if the log of a part is missing, give it, too";
  if (found.verdict == VerdictKind::inconclusive)
    return found.remedy.empty() ? "send more requests, or check the phases above" : found.remedy;
  const auto words = asked.logs | std::views::transform(shell_word);
  const std::string logs = fmt::format("{}", fmt::join(words, " "));
  if (found.verdict == VerdictKind::violated && (logs.empty() || logs == "-"))
    return result.command + " --log run.jsonl, then rlctl report run.jsonl -o run.html";
  if (found.verdict == VerdictKind::violated) return "rlctl report " + logs + " -o run.html";
  return std::string("the expected violation did not occur: if the limiter is fixed, ") +
         (asked.verdict ? "use --expect holds" : "expect \"holds\" in the scenario");
}

std::string expectation_lines(const Scenario& scenario, const ExpectationResult& result) {
  const Expectation& expectation = scenario.expectations[result.expectation];
  const bool broken = result.held == Held::broken;
  std::string text =
      fmt::format("  {}: {}\n    {}{}\n", place_in_words(scenario, expectation.place),
                  escape_for_terminal(expectation.text),
                  broken ? "measured " : "could not tell: ", result.measured);
  if (!expectation.why.empty()) text += "    " + escape_for_terminal(expectation.why) + "\n";
  return text;
}

constexpr std::size_t kIndent = 2;

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n'))
    out += std::string(line.empty() ? 0 : kIndent, ' ') + line + "\n";
  return out;
}

// How many requests a phase plans; empty if only the answers decide that. Random arrivals are drawn
// here exactly as in the run, unless there are too many.
std::string planned_of(const Scenario& scenario, std::uint32_t index) {
  constexpr double kMostDrawn = 5e6;
  const auto in_words = [&](std::int64_t all) {
    if (scenario.shard.is_whole()) return format_count(all);
    return format_count(scenario.shard.share_of(all)) + " of " + format_count(all);
  };
  const Phase& phase = scenario.phases[index];
  const double planned = planned_requests(phase);
  if (planned < 1) return {};
  const auto rounded = static_cast<std::int64_t>(planned + 0.5);
  if (phase.arrivals != ArrivalPattern::poisson) return in_words(rounded);
  if (planned > kMostDrawn) return "about " + format_count(rounded);
  const auto times = plan_stages(phase.stages, phase.arrivals, phase_seed(scenario.seed, index));
  return fmt::format("{} (expected {})", in_words(static_cast<std::int64_t>(times.size())),
                     format_count(rounded));
}

std::string model_in_words(const Phase& phase) {
  switch (phase.model) {
    case TrafficModel::rate:
      return fmt::format("{} arrivals for {}", name_of(phase.arrivals),
                         format_duration(phase.duration_us));
    case TrafficModel::bursts:
      return counted(phase.bursts.size(), "burst");
    case TrafficModel::users:
      return counted(phase.users, "user") +
             (phase.duration_us > 0 ? " for " + format_duration(phase.duration_us) : "");
    case TrafficModel::consumers:
      return fmt::format("{} drain {}", counted(phase.consumers, "consumer"),
                         counted(phase.items, "item"));
    case TrafficModel::replay:
      break;
  }
  return "replay of " + in_quotes(phase.replay);
}

std::string traffic_in_words(const Phase& phase) {
  std::string text = model_in_words(phase);
  if (phase.warm_up) text += ", warm-up";
  if (phase.on_deny != OnDeny::drop) text += ", denied ones come back";
  return text;
}

std::string clients_in_words(const Scenario& scenario, const Phase& phase) {
  std::string text;
  for (const Share& share : phase.mix) {
    const IdentitySpec& who = scenario.identities[share.who];
    text += (text.empty() ? "" : ", ") + escape_for_terminal(who.name);
    if (who.count > 1) text += fmt::format(" ({})", format_count(who.count));
    if (phase.mix.size() > 1) text += fmt::format(" x {}", share.weight);
  }
  return text;
}

}  // namespace

std::string place_in_words(const Scenario& scenario, const SourcePlace& place) {
  const std::string file = escape_for_terminal(scenario.file);
  return place.line == 0 ? file : fmt::format("{}:{}:{}", file, place.line, place.column);
}

std::string scenario_line(const Scenario& scenario, const ScenarioResult& result) {
  std::string text = fmt::format("{} {}", pad_right(headline_of(result.outcome), 12),
                                 escape_for_terminal(scenario.name));
  if (result.outcome == ScenarioOutcome::could_not_run && result.problem)
    return text + ": " + result.problem->what() + "\n";
  text += fmt::format("  ({}) {}", format_duration_for_people(result.duration_us), result.sentence);
  const auto held = std::count_if(
      result.expectations.begin(), result.expectations.end(),
      [](const ExpectationResult& expectation) { return expectation.held == Held::held; });
  const auto all = static_cast<std::int64_t>(result.expectations.size());
  if (all > 0) text += fmt::format("; {} of {} held", held, counted(all, "expectation"));
  return text + "\n";
}

std::string scenario_details(const Scenario& scenario, const ScenarioResult& result,
                             const AskedOfRun& asked, std::size_t width) {
  std::string text;
  if (result.problem && !result.problem->hint().empty())
    text += "  " + result.problem->hint() + "\n";
  if (result.outcome == ScenarioOutcome::passed) return text;
  const VerdictFound found = verdict_found(scenario, result);
  const bool whole = !result.problem && !result.is_cut_short();
  const bool surprise = whole && verdict_held(scenario, found) != Held::held;
  const std::string verdict = verdict_sentence(scenario, found);
  if (!result.problem && verdict != result.sentence)
    text += (whole ? "  verdict: " : "  until then, which is no verdict: ") + verdict + "\n";
  for (const ExpectationResult& expectation : result.expectations)
    if (expectation.held != Held::held) text += expectation_lines(scenario, expectation);
  if (!result.phases.empty()) text += "\n" + phase_table(scenario, result, width);
  for (const PolicyResult& policy : result.policies)
    if (const std::string targets = target_table_text(counts_by_target(policy.log), width);
        !targets.empty())
      text += "\n" + targets;
  if (!result.problem)
    text += indented(scenario_evidence(result, width - std::min(width, kIndent)));
  text += scenario_notes(result);
  if (surprise) text += "  next: " + next_step(scenario, result, asked) + "\n";
  return text;
}

std::string scenario_evidence(const ScenarioResult& result, std::size_t width) {
  std::string text;
  const VerifyResult verified = as_verified(result);
  for (const JudgedHistory& history : verified.histories) {
    const Verdict& verdict = *history.verdict;
    if (verdict.verdict != VerdictKind::violated) continue;
    const bool own = verdict.policy.verdict != VerdictKind::violated && verdict.own;
    const Judgement& judgement = own ? *verdict.own : verdict.policy;
    if (judgement.violations.over_admission)
      text += "\n" + draw_worst_window(verified, history, judgement, width);
    if (judgement.violations.false_denial)
      text += "\n" + list_false_denials(verified, history, judgement, width);
    const std::string contradiction = list_contradiction(verified, history, judgement, width);
    if (!contradiction.empty()) text += "\n" + contradiction;
  }
  return text;
}

std::string scenario_notes(const ScenarioResult& result) {
  std::string text;
  for (const PolicyResult& policy : result.policies) {
    for (const std::string& note : policy.verdict.notes) {
      const std::string line = "  note: " + note + "\n";
      if (text.find(line) == std::string::npos) text += line;
    }
  }
  for (const std::string& note : result.notes) text += "  note: " + note + "\n";
  return text;
}

std::string phase_table(const Scenario& scenario, const ScenarioResult& result, std::size_t width) {
  Table table({{"phase"},
               {"offered", Align::right},
               {"allowed", Align::right},
               {"denied", Align::right},
               {"unknown", Align::right},
               {"failed", Align::right},
               {"late", Align::right},
               {"dropped", Align::right},
               {"took", Align::right}},
              2);
  for (const PhaseResult& phase : result.phases) {
    table.add_row({escape_for_terminal(scenario.phases[phase.phase].name),
                   format_count(phase.offered), format_count(phase.allowed),
                   format_count(phase.denied), format_count(phase.unknown),
                   format_count(phase.failed), format_count(phase.late),
                   result.lacks_counts ? "-" : format_count(phase.dropped),
                   format_duration_for_people(phase.ended_us - phase.started_us)});
  }
  return table.text(width) + fault_text(scenario, result, "  ");
}

void ScenarioTally::add(const ScenarioResult& result) {
  duration_us += result.duration_us;
  switch (result.outcome) {
    case ScenarioOutcome::passed:
      ++passed;
      break;
    case ScenarioOutcome::failed:
      ++failed;
      break;
    case ScenarioOutcome::inconclusive:
      ++inconclusive;
      break;
    case ScenarioOutcome::could_not_run:
      ++could_not_run;
      break;
  }
}

std::string tally_line(const ScenarioTally& tally) {
  const std::int64_t all = tally.passed + tally.failed + tally.inconclusive + tally.could_not_run;
  std::string text = fmt::format("{} in {}: {} passed", counted(all, "scenario"),
                                 format_duration_for_people(tally.duration_us), tally.passed);
  if (tally.failed > 0) text += fmt::format(", {} FAILED", tally.failed);
  if (tally.inconclusive > 0) text += fmt::format(", {} INCONCLUSIVE", tally.inconclusive);
  if (tally.could_not_run > 0) text += fmt::format(", {} DID NOT RUN", tally.could_not_run);
  return text + "\n";
}

std::string scenario_plan_text(const Scenario& scenario, std::size_t width) {
  std::string text =
      fmt::format("{} ({}): {} clock, seed {}, expects {}\n", escape_for_terminal(scenario.name),
                  escape_for_terminal(scenario.file), name_of(scenario.clock), scenario.seed,
                  scenario.verdict ? name_of(*scenario.verdict) : "any verdict");
  Table table({{"phase"}, {"policy"}, {"traffic"}, {"requests", Align::right}, {"clients"}}, 2);
  for (std::uint32_t i = 0; i < scenario.phases.size(); ++i) {
    const Phase& phase = scenario.phases[i];
    const PolicySpec& policy = scenario.policies[phase.policy];
    const std::string limit =
        escape_for_terminal(policy.name) + ", " + in_words(policy.policy.rules);
    table.add_row({escape_for_terminal(phase.name), limit, traffic_in_words(phase),
                   planned_of(scenario, i), clients_in_words(scenario, phase)});
  }
  text += table.text(width) + request_plan_text(scenario) + fault_plan_text(scenario);
  for (const Expectation& expectation : scenario.expectations)
    text += "  expects " + escape_for_terminal(expectation.text) + "\n";
  return text;
}

}  // namespace rlctl
