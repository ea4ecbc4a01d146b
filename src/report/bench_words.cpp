#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/bench_figures.h"
#include "report/bench_text.h"

namespace rlctl {
namespace {

constexpr double kBusySpreadPercent = 20;
constexpr double kAdmittedShare = 0.99;
constexpr double kDeniedShare = 0.95;

const char* where(Attack attack) {
  switch (attack) {
    case Attack::aligned:
      return "around an edge of the clock's windows";
    case Attack::anchored:
      return "around the end of the window that a first hit opened";
    case Attack::hammer:
      break;
  }
  return "under a steady hammer";
}

// Why the policy is broken: "lets 200 of 100 through", or refuses what fits.
std::string broken_in_words(const AlgorithmResult& result, const BenchResult& bench) {
  const AttackResult* worst = worst_attack(result);
  const std::int64_t limit = bench.policy.limit;
  const Violations& violations = result.verdict->policy.violations;
  if (violations.over_admission && worst->figures.peak > limit)
    return fmt::format("lets {} of {} through in {} {}", format_count(worst->figures.peak),
                       format_count(limit), format_duration_for_people(worst->worst_span_us),
                       where(worst->attack));
  if (violations.over_admission)
    return fmt::format("over-admits: {} of its admissions are too many in any order",
                       format_count(result.verdict->policy.totals.excess_certain));
  return fmt::format("refuses {} requests that fit the policy",
                     format_count(static_cast<std::int64_t>(
                         result.verdict->policy.totals.certain_false_denials.size())));
}

std::string own_in_words(const AlgorithmResult& result) {
  if (!result.verdict->own) return "it promises nothing exact";
  switch (result.verdict->own->verdict) {
    case VerdictKind::holds:
      return "it keeps its own contract, not yours";
    case VerdictKind::violated:
      return "it breaks its own contract too";
    case VerdictKind::inconclusive:
      break;
  }
  return "its own contract could be neither shown nor refuted";
}

std::string judged_in_words(const AlgorithmResult& result, const BenchResult& bench) {
  const std::string window = format_duration(bench.policy.window_us);
  switch (result.verdict->policy.verdict) {
    case VerdictKind::violated:
      return fmt::format("{} {}; {}.", result.name, broken_in_words(result, bench),
                         own_in_words(result));
    case VerdictKind::inconclusive:
      return fmt::format("{}: inconclusive: {}.", result.name, result.verdict->policy.reason);
    case VerdictKind::holds:
      break;
  }
  return fmt::format("{} holds: no {} held more than {}; of {} decisions {} were right.",
                     result.name, window, format_count(bench.policy.limit),
                     format_count(result.verdict->policy.totals.decisions),
                     format_count(result.verdict->policy.totals.right));
}

std::optional<double> cpu_of(const AlgorithmResult& result, bool admitted) {
  const auto shown =
      figure(admitted ? result.admitted : result.denied,
             [](const SpeedRound& round) { return round.server_cpu_us_per_decision; });
  if (!shown || shown->median <= 0) return std::nullopt;
  return shown->median;
}

const AlgorithmResult* cheapest(const BenchResult& bench, bool admitted) {
  const AlgorithmResult* best = nullptr;
  for (const AlgorithmResult& result : bench.algorithms)
    if (cpu_of(result, admitted) &&
        (best == nullptr || *cpu_of(result, admitted) < *cpu_of(*best, admitted)))
      best = &result;
  return best;
}

std::string price_against(const AlgorithmResult& best, const AlgorithmResult& result,
                          bool admitted) {
  if (&best == &result) return "the least of all";
  return fmt::format("{:.2f} x of {}", *cpu_of(result, admitted) / *cpu_of(best, admitted),
                     best.name);
}

// What exactness costs: the server's CPU of those that hold against the cheapest of all.
std::string price_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    if (!result.verdict || result.verdict->policy.verdict != VerdictKind::holds) continue;
    const AlgorithmResult* admitted = cheapest(bench, true);
    const AlgorithmResult* denied = cheapest(bench, false);
    if (admitted == nullptr || denied == nullptr || bench.algorithms.size() < 2) continue;
    if (!cpu_of(result, true) || !cpu_of(result, false)) continue;
    text += fmt::format("{} costs the server {} per admitted request and {} per denied one.\n",
                        result.name, price_against(*admitted, result, true),
                        price_against(*denied, result, false));
  }
  return text;
}

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
            "note: {} of the {} requests of the {} attack on {} went out late, and may "
            "have missed their edge: use a lower --limit or a longer --window.\n",
            format_count(attack.late), format_count(attack.attempts), name_of(attack.attack),
            result.name);
  return text;
}

std::string warnings(const BenchResult& bench) {
  std::string text = late_in_words(bench);
  for (const AlgorithmResult& result : bench.algorithms)
    if (!result.remark.empty()) text += "note: " + result.remark + ".\n";
  if (const double percent = widest_spread(bench); percent > kBusySpreadPercent)
    text += fmt::format(
        "note: rounds differ by up to {:.0f} %: the machine is busy; medians of "
        "--rounds 9 --duration 2s are steadier.\n",
        percent);
  if (const double share = lowest_admitted_share(bench); share < kAdmittedShare)
    text += fmt::format(
        "note: only {} % of the `admitted` traffic was admitted; more --keys or a "
        "higher --limit make it so.\n",
        format_percent(100 * share));
  if (const double share = highest_denied_share(bench); share > 1 - kDeniedShare)
    text += fmt::format(
        "note: {} % of the `denied` traffic was admitted: a --duration below the "
        "--window and a lower --limit make it less.\n",
        format_percent(100 * share));
  if (bench.on_virtual_time)
    text += fmt::format("note: windows of {} were attacked on the virtual clock.\n",
                        format_duration(bench.policy.window_us));
  return text;
}

}  // namespace

std::string bench_in_words(const BenchResult& result) {
  std::string text;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    if (algorithm.verdict) text += judged_in_words(algorithm, result) + "\n";
    if (!algorithm.not_attacked.empty())
      text += fmt::format("{} was not attacked: {}.\n", algorithm.name, algorithm.not_attacked);
  }
  if (result.interrupted)
    text += fmt::format("interrupted after {:.0f} s: only finished rounds are shown.\n",
                        result.seconds);
  return text + price_in_words(result) + warnings(result);
}

}  // namespace rlctl
