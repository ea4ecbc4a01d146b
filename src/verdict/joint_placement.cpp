#include "verdict/joint_placement.h"

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "verdict/judge_windows.h"
#include "verdict/pace.h"

namespace rlctl {
namespace {

// A bucket's pace in whole µs, rounded up: every start that it gives is valid.
class WholeBucketPace {
 public:
  explicit WholeBucketPace(const BucketRule& rule) : rule_(rule), pace_(rule) {}

  std::int64_t earliest(std::int64_t cost) const {
    if (rule_.limit == 0) return std::numeric_limits<std::int64_t>::max();
    const Wide least = std::numeric_limits<std::int64_t>::min();
    const Wide steps = pace_.earliest(cost);
    const Wide us = steps / rule_.limit + (steps % rule_.limit > 0 ? 1 : 0);
    return static_cast<std::int64_t>(std::max(us, least));
  }
  void push(std::int64_t start, std::int64_t cost) { pace_.push(rule_.refill(start), cost); }
  void pop() { pace_.pop(); }

 private:
  BucketRule rule_;
  BucketPace pace_;
};

using AnyPace = std::variant<WindowPace, WholeBucketPace>;

// Every rule is asked for its earliest instant; the latest of them counts.
class JointPace {
 public:
  explicit JointPace(std::vector<AnyPace> paces) : paces_(std::move(paces)) {}

  std::int64_t earliest(std::int64_t cost) const {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const AnyPace& pace : paces_)
      latest = std::max(latest, std::visit([&](const auto& p) { return p.earliest(cost); }, pace));
    return latest;
  }
  void push(std::int64_t start, std::int64_t cost) {
    for (AnyPace& pace : paces_) std::visit([&](auto& p) { p.push(start, cost); }, pace);
  }
  void pop() {
    for (AnyPace& pace : paces_) std::visit([](auto& p) { p.pop(); }, pace);
  }

 private:
  std::vector<AnyPace> paces_;
};

// A placement that keeps a sliding window also keeps windows of any phase, and those that a first
// hit opens.
AnyPace pace_of(const Rule& rule, const JudgeOptions& options) {
  if (rule.row().takes_capacity)
    return WholeBucketPace(
        BucketRule{rule.capacity, rule.limit, rule.window_us, options.tolerance_us});
  if (rule.has_known_phase()) return WindowPace(rules_of(rule, options).admissions, rule.limit);
  Rule sliding = rule;
  sliding.kind = RuleKind::sliding;
  return WindowPace(rules_of(sliding, options).admissions, rule.limit);
}

}  // namespace

Schedulable place_jointly(const History& history, const Rules& rules, const JudgeOptions& options) {
  // An admission in flight may end late enough for a denial: a pace has no such choice.
  if (!std::ranges::all_of(rules, &Rule::has_window)) return Schedulable::undetermined;
  std::vector<AnyPace> paces;
  for (const Rule& rule : rules) paces.push_back(pace_of(rule, options));
  std::vector<Job<std::int64_t>> jobs;
  for (const Placement& p : history.admitted) jobs.push_back({p.low_us, p.high_us, p.cost});
  const Schedulable answer =
      Scheduler<std::int64_t, JointPace>(std::move(jobs), JointPace(std::move(paces))).run();
  const auto is_exact = [](const Rule& rule) { return rule.row().limit_is_proof; };
  const bool exact = std::ranges::all_of(
      rules, [&](const Rule& rule) { return is_exact(rule) && !rule.has_unknown_phase(); });
  return answer == Schedulable::no && !exact ? Schedulable::undetermined : answer;
}

}  // namespace rlctl
