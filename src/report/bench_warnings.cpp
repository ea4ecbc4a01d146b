#include "report/bench_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "report/bench_figures.h"

namespace rlctl {
namespace {

constexpr double kBusySpreadPercent = 20;
constexpr double kAdmittedShare = 0.99;
constexpr double kDeniedShare = 0.95;
constexpr double kBusyPercent = 10;   // of the machine, by others
constexpr double kStolenPercent = 2;  // by the host's other guests
constexpr double kSlowShare = 0.8;    // of the others' pace
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
    for (const SpeedRound& round : result.denied)
      if (round.decisions > 0) highest = std::max(highest, share_allowed(round));
  return highest;
}

double lowest_admitted_share(const BenchResult& bench) {
  double lowest = 1;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const SpeedRound& round : result.admitted)
      if (round.decisions > 0) lowest = std::min(lowest, share_allowed(round));
  return lowest;
}

// An attack proves nothing where its bursts missed their edge.
std::string late_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms)
    for (const AttackResult& attack : result.attacks)
      if (attack.late > 0)
        text += fmt::format(
            "note: {} of the {} requests of the {} attack on "
            "{} went out late, and may "
            "have missed their edge: use a lower --limit or a "
            "longer --window.\n",
            format_count(attack.late), format_count(attack.attempts), name_of(attack.attack),
            result.name);
  return text;
}

std::string machine_in_words(const BenchResult& bench) {
  const MachineUse& use = bench.machine_use;
  std::string text;
  if (use.other_cpu_percent >= kBusyPercent)
    text += fmt::format(
        "note: other programs took {:.0f} % of the machine "
        "meanwhile (load before: {:.1f}): end "
        "them, or trust the server's CPU per decision more "
        "than rates and latencies.\n",
        use.other_cpu_percent, std::max(0.0, use.load_before));
  if (use.stolen_percent >= kStolenPercent)
    text += fmt::format(
        "note: the host gave {:.0f} % of the machine's time to "
        "other guests: a machine of your own "
        "gives steadier figures.\n",
        use.stolen_percent);
  return text;
}

std::vector<double> rates_of(const std::vector<SpeedRound>& rounds) {
  std::vector<double> rates;
  for (const SpeedRound& round : rounds) rates.push_back(round.decisions_per_second);
  return rates;
}

// Slower than every other, and by far.
bool first_is_slow(const std::vector<double>& rates) {
  if (rates.size() < 3) return false;
  return rates[0] < kSlowShare * *std::min_element(rates.begin() + 1, rates.end());
}

// B. Iglewicz, D. C. Hoaglin: How to Detect and Handle Outliers (1993): by the
// distance from the median in units of the median distance, which outliers do
// not move.
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
      "note: {}, {}: round {} was far slower than the rest: "
      "something else ran; medians bear it, "
      "and more --rounds bear more.\n",
      name, traffic, rounds);
}

std::string spread_in_words(const BenchResult& bench) {
  const double percent = widest_spread(bench);
  if (percent <= kBusySpreadPercent) return {};
  return fmt::format(
      "note: rounds differ by up to {:.0f} %: medians of "
      "--rounds 9 --duration 2s are steadier.\n",
      percent);
}

std::string rounds_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    for (const bool admitted : {true, false}) {
      const char* traffic = admitted ? "admitted" : "denied";
      const auto rates = rates_of(admitted ? result.admitted : result.denied);
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
  std::string text = late_in_words(bench) + machine_in_words(bench) + rounds_in_words(bench);
  for (const AlgorithmResult& result : bench.algorithms)
    if (!result.remark.empty()) text += "note: " + result.remark + ".\n";
  if (const double share = lowest_admitted_share(bench); share < kAdmittedShare)
    text += fmt::format(
        "note: only {} % of the `admitted` traffic was "
        "admitted; more --keys or a "
        "higher --limit make it so.\n",
        format_percent(100 * share));
  if (const double share = highest_denied_share(bench); share > 1 - kDeniedShare)
    text += fmt::format(
        "note: {} % of the `denied` traffic was admitted: a "
        "--duration below the "
        "--window and a lower --limit make it less.\n",
        format_percent(100 * share));
  if (bench.on_virtual_time)
    text += fmt::format("note: windows of {} were attacked on the virtual clock.\n",
                        format_duration(bench.policy.window_us));
  return text;
}

}  // namespace rlctl
