#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/bench_figures.h"
#include "report/bench_text.h"
#include "report/bench_warnings.h"

namespace rlctl {
namespace {

const char* where(Attack attack) {
  switch (attack) {
    case Attack::aligned:
      return "around the edge of a clock-aligned window";
    case Attack::anchored:
      return "around the end of a window that the first request opened";
    case Attack::hammer:
      break;
  }
  return "under the steady load of the hammer attack";
}

// Why the policy is broken: "admits 200 requests (limit 100)", or denies allowed requests.
std::string broken_in_words(const AlgorithmResult& result, const BenchResult& bench) {
  const AttackResult* worst = worst_attack(result);
  const std::int64_t limit = bench.policy.limit;
  const Violations& violations = result.verdict->policy.violations;
  if (violations.over_admission && worst->figures.peak > limit)
    return fmt::format("admits {} requests (limit {}) within {} {}",
                       format_count(worst->figures.peak), format_count(limit),
                       format_duration_for_people(worst->worst_span_us), where(worst->attack));
  if (violations.over_admission)
    return fmt::format(
        "over-admits: {} of its admissions are above the limit in every possible order",
        format_count(result.verdict->policy.totals.excess_certain));
  return fmt::format("wrongly denies {} requests that the policy allows",
                     format_count(static_cast<std::int64_t>(
                         result.verdict->policy.totals.certain_false_denials.size())));
}

std::string own_in_words(const AlgorithmResult& result) {
  if (!result.verdict->own) return "it has no contract of its own";
  switch (result.verdict->own->verdict) {
    case VerdictKind::holds:
      return "it keeps its own contract, but not your policy";
    case VerdictKind::violated:
      return "it breaks its own contract too";
    case VerdictKind::inconclusive:
      break;
  }
  return "its own contract is inconclusive";
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
  return fmt::format(
      "{0} holds{1}: no window of {2} had more than {3} admissions; {5} of {4} decisions were "
      "correct.",
      result.name, bench.interrupted ? " so far" : "", window, format_count(bench.policy.limit),
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
  if (&best == &result) return "the lowest";
  return fmt::format("{:.2f} x that of {}", *cpu_of(result, admitted) / *cpu_of(best, admitted),
                     best.name);
}

// The price of a policy that holds: the server CPU of each such algorithm, compared with the
// cheapest of all algorithms.
std::string price_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    if (!result.verdict || result.verdict->policy.verdict != VerdictKind::holds) continue;
    const AlgorithmResult* admitted = cheapest(bench, true);
    const AlgorithmResult* denied = cheapest(bench, false);
    if (admitted == nullptr || denied == nullptr || bench.algorithms.size() < 2) continue;
    if (!cpu_of(result, true) || !cpu_of(result, false)) continue;
    text += fmt::format("server CPU of {}: {} per admitted request, {} per denied request.\n",
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
      text += fmt::format("FAILED {}; the rest of the bench ran without it.\n", algorithm.failed);
    if (!algorithm.not_attacked.empty())
      text += fmt::format("{} was not attacked: {}.\n", algorithm.name, algorithm.not_attacked);
  }
  if (result.interrupted)
    text += fmt::format(
        "interrupted after {:.0f} s: the report shows finished rounds and partial attacks; it does "
        "not count as a pass.\n",
        result.seconds);
  return text + price_in_words(result) + bench_warnings(result);
}

}  // namespace rlctl
