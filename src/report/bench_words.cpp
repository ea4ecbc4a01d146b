#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/bench_figures.h"
#include "report/bench_text.h"
#include "report/bench_warnings.h"

namespace rlctl {
namespace {

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
  return fmt::format("{} holds{}: no {} held more than {}; of {} decisions {} were right.",
                     result.name, bench.interrupted ? " so far" : "", window,
                     format_count(bench.policy.limit),
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

// What exactness costs: the server's CPU of those that hold against the
// cheapest of all.
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

}  // namespace

std::string bench_in_words(const BenchResult& result) {
  std::string text;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    if (algorithm.verdict) text += judged_in_words(algorithm, result) + "\n";
    if (!algorithm.failed.empty())
      text += fmt::format("FAILED {}; it was left out from there on.\n", algorithm.failed);
    if (!algorithm.not_attacked.empty())
      text += fmt::format("{} was not attacked: {}.\n", algorithm.name, algorithm.not_attacked);
  }
  if (result.interrupted)
    text += fmt::format(
        "interrupted after {:.0f} s: finished rounds are "
        "shown, and attacks as far as they came; "
        "that is no pass.\n",
        result.seconds);
  return text + price_in_words(result) + bench_warnings(result);
}

}  // namespace rlctl
