#include "plan/denial_range.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "plan/first_hit_bounds.h"
#include "plan/most_denials.h"
#include "verdict/containment.h"
#include "verdict/judge_windows.h"

namespace rlctl {
namespace {

// A rule that remembers denials, or counts what the sweep of most_denials.h cannot.
bool has_sweep(const History& arrivals, const Rule& rule) {
  const bool units =
      std::ranges::all_of(arrivals.admitted, [](const Placement& p) { return p.cost == 1; });
  return units && rule.block_us == 0 && !rule.counts_denied && rule.step_us == 0 &&
         rule.kind != RuleKind::in_flight && !rule.has_unknown_phase();
}

// By a clock that is coarse by the tolerance, a request may come so much earlier.
std::int64_t most_by_sweep(const History& arrivals, const Rule& rule, std::int64_t tolerance_us) {
  std::vector<Placement> earlier = arrivals.admitted;
  for (Placement& p : earlier) p.low_us -= tolerance_us;
  if (rule.kind == RuleKind::bucket) return most_denials_of_bucket(earlier, rule);
  const WindowRule windows = rule.kind == RuleKind::fixed
                                 ? WindowRule::aligned(rule.window_us, *rule.phase_us, 0)
                                 : WindowRule::sliding(rule.window_us, 0);
  return most_denials(earlier, windows, rule.limit);
}

// A request is denied only if others may fill the rule when it comes. With blocks, also in the time
// after such a one: any request may then be.
std::int64_t most_by_opinions(const Figures& figures, const Rule& rule, std::int64_t requests) {
  const bool certainly_fits = figures.over_admission == OverAdmission::none;
  if (rule.block_us > 0) return certainly_fits ? 0 : requests;
  return certainly_fits ? 0 : requests - figures.right;
}

DenialRange range_by(const History& arrivals, const Rule& rule, const Figures& figures,
                     const JudgeOptions& options) {
  const auto requests = static_cast<std::int64_t>(arrivals.admitted.size());
  DenialRange range{figures.excess_certain, 0};
  if (!has_sweep(arrivals, rule)) {
    range.most = most_by_opinions(figures, rule, requests);
    // Denied requests stay in the window, so those that certainly find it full are denied.
    if (rule.counts_denied) range.least = std::max(range.least, figures.wrong);
  } else {
    range.most = most_by_sweep(arrivals, rule, options.tolerance_us);
    if (rule.kind == RuleKind::first_hit) {
      range = first_hit_range(arrivals.admitted, rule.window_us, rule.limit, options.tolerance_us);
      range.most = std::min(range.most, most_by_sweep(arrivals, rule, options.tolerance_us));
    }
  }
  return range;
}

void add(const DenialRange& range, ClientDenials& denials) {
  denials.least = std::max(denials.least, range.least);
  denials.most += range.most;
}

ClientDenials settled(ClientDenials denials, const History& arrivals) {
  denials.most = std::min(denials.most, static_cast<std::int64_t>(arrivals.admitted.size()));
  if (denials.figures.over_admission == OverAdmission::certain)
    denials.least = std::max<std::int64_t>(denials.least, 1);
  denials.denied = denials.least > 0  ? OverAdmission::certain
                   : denials.most > 0 ? OverAdmission::possible
                                      : OverAdmission::none;
  denials.most = std::max(denials.most, denials.least);
  return denials;
}

// Whether a sliding window that is longer by the tolerance can hold more than the limit.
bool may_be_full(const History& arrivals, const Rule& rule, std::int64_t tolerance_us) {
  const std::vector<Placement> by_end = by_high(arrivals.admitted);
  return fullest_window(arrivals.admitted, by_end, rule.window_us + tolerance_us).count >
         rule.limit;
}

// A sliding window with a sweep, without the judge's opinion on each request. Of many clients few
// come near the limit: the others need no more than a count. Empty: only the judge can tell.
std::optional<ClientDenials> denials_by_window(const History& arrivals, const Rule& rule,
                                               const JudgeOptions& options) {
  const WindowRule window = rules_of(rule, options).admissions;
  ClientDenials denials;
  if (!may_be_full(arrivals, rule, options.tolerance_us)) {
    denials.figures.peak = most_certain(arrivals.admitted, window, rule.limit).count;
    return denials;
  }
  denials.figures = figures_of_windows(arrivals, window, rule.limit);
  if (denials.figures.proof == Proof::undetermined) return std::nullopt;
  denials.figures.peak = denials.figures.max_certain;
  add(range_by(arrivals, rule, denials.figures, options), denials);
  return settled(std::move(denials), arrivals);
}

}  // namespace

ClientDenials denials_of(const History& arrivals, const Rules& rules, const JudgeOptions& options) {
  const Rule& first = rules.front();
  if (rules.size() == 1 && first.kind == RuleKind::sliding && has_sweep(arrivals, first))
    if (auto denials = denials_by_window(arrivals, first, options)) return *std::move(denials);
  JudgedKey judged = judge_key(arrivals, rules, options);
  ClientDenials denials;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Figures& figures = judged.by_rule.empty() ? judged.together : judged.by_rule[i];
    add(range_by(arrivals, rules[i], figures, options), denials);
  }
  denials.figures = std::move(judged.together);
  return settled(std::move(denials), arrivals);
}

}  // namespace rlctl
