#include "report/bench_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/status_set.h"
#include "base/units.h"
#include "report/bench_figures.h"

namespace rlctl {
namespace {

constexpr double kBusySpreadPercent = 20;
constexpr double kAdmittedShare = 0.99;
constexpr double kDeniedShare = 0.95;
constexpr double kBusyPercent = 10;   // of the machine's CPU, used by other programs
constexpr double kStolenPercent = 2;  // used by other guests of the host
constexpr double kSlowShare = 0.8;    // of the other rounds' rate
constexpr std::size_t kLeastRounds = 5;

double widest_spread(const BenchResult& bench) {
  double widest = 0;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const auto* rounds : {&result.admitted, &result.denied})
      if (const auto rate =
              figure(*rounds, [](const SpeedRound& round) { return round.decisions_per_second; }))
        widest = std::max(widest, rate->spread_percent);
  return widest;
}

double share_allowed(const SpeedRound& round) {
  return static_cast<double>(round.allowed) / static_cast<double>(round.decisions);
}

double highest_denied_share(const BenchResult& bench) {
  double highest = 0;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const SpeedRound& round : denials(result))
      if (round.decisions > 0) highest = std::max(highest, share_allowed(round));
  return highest;
}

// A service may have another limit than that of --limit, or none.
std::string never_denied_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms)
    if (!result.denied.empty() && denials(result).empty())
      text += fmt::format(
          "note: {} did not deny: all of the `denied` traffic was admitted, so there are no "
          "figures "
          "of denials: {}.\n",
          result.name,
          bench.of_services
              ? "check that it limits these requests (rlctl probe URL), and use its own limit"
              : "use a --for shorter than the --window, and a lower --limit");
  return text;
}

double lowest_admitted_share(const BenchResult& bench) {
  double lowest = 1;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const SpeedRound& round : result.admitted)
      if (round.decisions > 0) lowest = std::min(lowest, share_allowed(round));
  return lowest;
}

// An attack proves nothing if its bursts missed the window edge.
std::string late_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const AttackResult& attack : result.attacks)
      if (attack.late > 0)
        text += fmt::format(
            "note: {} of the {} requests of the {} attack on {} were sent late and may have "
            "missed the window edge: use a lower --limit or a longer --window.\n",
            format_count(attack.late), format_count(attack.attempts), name_of(attack.attack),
            result.name);
  return text;
}

// Answers that say nothing, and requests without an answer.
std::string unknown_in_words(const AlgorithmResult& result) {
  if (!result.verdict) return {};
  const Figures& all = result.verdict->policy.totals;
  const std::string of_all = fmt::format(" of {} requests of the attacks on {} ",
                                         format_count(all.operations + all.failed), result.name);
  std::string text;
  std::int64_t unknown = all.unknown;
  for (const auto& [status, count] : result.undecided) {
    unknown -= count;
    text += fmt::format(
        "note: {}{}{} answered with status {}, which is neither allowed nor denied: {}.\n",
        format_count(count), of_all, count == 1 ? "was" : "were", status,
        remedy_for_status(status, count == all.operations));
  }
  if (unknown + all.failed > 0)
    text += fmt::format(
        "note: {}{}got no answer; {} of them may have been admitted: --log keeps them as "
        "unknown.\n",
        format_count(unknown + all.failed), of_all, format_count(unknown));
  return text;
}

std::string unknown_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) text += unknown_in_words(result);
  return text;
}

// `what`: the answer, or what must come with it.
std::string lost_in_words(const std::string& name, const char* traffic, const char* what,
                          const std::vector<SpeedRound>& rounds) {
  std::string text;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (const SpeedRound& round = rounds[i]; round.unanswered > 0)
      text += fmt::format(
          "{}: {}, {}, round {}: {} of {} requests got no {}, within {}; {} of them may have "
          "been admitted: --log keeps them as unknown.{}\n",
          lacks_answers(round) ? "partial" : "note", name, traffic, i + 1,
          format_count(round.unanswered), format_count(round.unanswered + round.decisions), what,
          format_duration_for_people(round.unanswered_span_us), format_count(round.unknown),
          lacks_answers(round) ? " These rates are those of an outage: run it again." : "");
  return text;
}

// A busy machine makes rates and latencies unsteady, and no decision wrong.
std::string machine_in_words(const BenchResult& bench) {
  if (!measures_speed(bench)) return {};
  const MachineUse& use = bench.machine_use;
  std::string text;
  if (use.other_cpu_percent >= kBusyPercent)
    text += fmt::format(
        "note: other programs used {:.0f} % of the machine's CPU during the bench (load before: "
        "{:.1f}): stop them, or rely on the server CPU per decision, not on rates and latencies.\n",
        use.other_cpu_percent, std::max(0.0, use.load_before));
  if (use.stolen_percent >= kStolenPercent)
    text += fmt::format(
        "note: the host gave {:.0f} % of this machine's CPU time to other guests: use a dedicated "
        "machine for steadier figures.\n",
        use.stolen_percent);
  return text;
}

// What INFO would have told.
std::string unseen_in_words(const BenchResult& bench) {
  if (bench.of_services || !bench.server.empty() || !measures_speed(bench)) return {};
  return "note: server CPU, Redis CPU and the version are not known: Redis did not answer INFO; if "
         "this user may not run it, this grants it: ACL SETUSER NAME +info.\n";
}

std::vector<double> rates_of(std::span<const SpeedRound> rounds) {
  std::vector<double> rates;
  for (const SpeedRound& round : rounds) rates.push_back(round.decisions_per_second);
  return rates;
}

// Far slower than every other round.
bool first_is_slow(const std::vector<double>& rates) {
  if (rates.size() < 3) return false;
  return rates[0] < kSlowShare * *std::min_element(rates.begin() + 1, rates.end());
}

// B. Iglewicz, D. C. Hoaglin: How to Detect and Handle Outliers (1993): the distance from the
// median, divided by the median absolute deviation, which outliers do not change.
bool is_outlier(double rate, const std::vector<double>& rates) {
  constexpr double kFar = 3.5;
  constexpr double kOfNormalCurve = 0.6745;
  const double center = median(rates);
  const double deviation = median_absolute_deviation(rates);
  return deviation > 0 && rate < kSlowShare * center &&
         kOfNormalCurve * std::abs(rate - center) / deviation > kFar;
}

std::string outliers_of(const std::string& name, const char* traffic,
                        const std::vector<double>& rates) {
  if (rates.size() < kLeastRounds) return {};
  std::string rounds;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (is_outlier(rates[i], rates)) rounds += (rounds.empty() ? "" : ", ") + std::to_string(i + 1);
  if (rounds.empty()) return {};
  return fmt::format(
      "note: {}, {}: round {} was far slower than the others, probably because another program "
      "ran: the median is not affected; use more --rounds to be safe.\n",
      name, traffic, rounds);
}

std::string spread_in_words(const BenchResult& bench) {
  const double percent = widest_spread(bench);
  if (percent <= kBusySpreadPercent) return {};
  return fmt::format(
      "note: rounds differ by up to {:.0f} %: use --rounds 9 --for 2s for steadier medians.\n",
      percent);
}

std::string rounds_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    for (const bool admitted : {true, false}) {
      const char* traffic = admitted ? "admitted" : "denied";
      const auto rates = rates_of(admitted ? std::span(result.admitted) : denials(result));
      if (first_is_slow(rates))
        text += fmt::format(
            "note: {}, {}: the first round was {:.0f} % slower than the rest: "
            "use --warm-up 2s.\n",
            result.name, traffic, 100 * (1 - rates[0] / median({rates.begin() + 1, rates.end()})));
      else
        text += outliers_of(result.name, traffic, rates);
    }
  }
  return text + spread_in_words(bench);
}

}  // namespace

std::string bench_warnings(const BenchResult& bench) {
  std::string text = late_in_words(bench) + unknown_in_words(bench) + machine_in_words(bench) +
                     unseen_in_words(bench) + rounds_in_words(bench);
  for (const AlgorithmResult& result : bench.algorithms) {
    const char* const what = bench.wait_replicas > 0 ? "confirmed answer"
                             : bench.of_services     ? "decision"
                                                     : "answer";
    text += lost_in_words(result.name, "admitted", what, result.admitted);
    text += lost_in_words(result.name, "denied", what, result.denied);
  }
  for (const AlgorithmResult& result : bench.algorithms)
    if (!result.remark.empty()) text += "note: " + result.remark + ".\n";
  if (const double share = lowest_admitted_share(bench); share < kAdmittedShare)
    text += fmt::format(
        "note: only {} % of the `admitted` traffic was admitted: use more --keys or a higher "
        "--limit{}.\n",
        format_percent(100 * share),
        bench.of_services ? ", and check that the service tells clients apart by these requests"
                          : "");
  text += never_denied_in_words(bench);
  if (const double share = highest_denied_share(bench); share > 1 - kDeniedShare)
    text += fmt::format(
        "note: {} % of the `denied` traffic was admitted: use a --for shorter than the "
        "--window, and a lower --limit.\n",
        format_percent(100 * share));
  if (bench.on_virtual_time)
    text += fmt::format("note: the attacks on windows of {} ran on the virtual clock.\n",
                        format_duration(bench.policy.window_us));
  return text;
}

}  // namespace rlctl
