#include "verdict/judge_windows.h"

#include <algorithm>
#include <limits>

#include "verdict/containment.h"
#include "verdict/step_function.h"

namespace rlctl {
namespace {

// At most `limit` admissions count at any instant: the next must wait for the end of the one that
// is `limit` units before it.
class WindowPace {
 public:
  WindowPace(const WindowRule& window, std::int64_t limit)
      : window_(window), limit_(static_cast<std::size_t>(limit)) {}

  std::int64_t earliest(std::int64_t cost) const {
    const std::size_t units = units_.size() + static_cast<std::size_t>(cost);
    if (units <= limit_) return std::numeric_limits<std::int64_t>::min();
    return window_.end(units_[units - limit_ - 1]);
  }
  void push(std::int64_t start, std::int64_t cost) {
    units_.insert(units_.end(), static_cast<std::size_t>(cost), start);
    costs_.push_back(static_cast<std::size_t>(cost));
  }
  void pop() {
    units_.resize(units_.size() - costs_.back());
    costs_.pop_back();
  }

 private:
  WindowRule window_;
  std::size_t limit_;
  std::vector<std::int64_t> units_;
  std::vector<std::size_t> costs_;
};

Schedulable schedule_cluster(const std::vector<Placement>& admitted, std::size_t first,
                             std::size_t last, const WindowRule& window, std::int64_t limit) {
  std::vector<Job<std::int64_t>> jobs;
  std::int64_t units = 0;
  for (std::size_t i = first; i < last; ++i) {
    jobs.push_back({admitted[i].low_us, admitted[i].high_us, admitted[i].cost});
    units += admitted[i].cost;
  }
  if (units <= limit) return Schedulable::yes;
  return Scheduler<std::int64_t, WindowPace>(std::move(jobs), WindowPace(window, limit)).run();
}

// A lower bound on the number of wrong admissions: the excess, in records.
std::int64_t records_in_excess(const History& history, std::int64_t excess) {
  std::int64_t cost = 1;
  for (const Placement& p : history.admitted) cost = std::max(cost, p.cost);
  return (excess + cost - 1) / cost;
}

// If no placement puts more than the limit into a window, every admission is right.
std::vector<Opinion> admission_opinions(const History& history, const WindowRule& window,
                                        const Contract& contract, const Figures& figures) {
  if (figures.max_possible <= contract.limit && !contract.counts_denied)
    return std::vector<Opinion>(history.admitted.size(), Opinion::right);
  return judge_admissions(history, window, contract.limit, contract.counts_denied);
}

}  // namespace

WindowRules rules_of(const Contract& contract, const JudgeOptions& options) {
  const std::int64_t tolerance = options.tolerance_us;
  if (contract.row().takes_phase) {
    const std::int64_t phase = contract.phase_us.value_or(0);
    return {WindowRule::aligned(contract.window_us, phase, -tolerance),
            WindowRule::aligned(contract.window_us, phase, tolerance)};
  }
  const std::int64_t window = contract.window_us + (options.closed ? 1 : 0);
  return {WindowRule::sliding(window, -tolerance), WindowRule::sliding(window, tolerance)};
}

std::int64_t most_possible(const History& history, const WindowRule& window) {
  Depth depth;
  for (const Placement& p : history.admitted) depth.add(p.low_us, window.end(p.high_us), p.cost);
  for (const Placement& p : history.unknown) depth.add(p.low_us, window.end(p.high_us), p.cost);
  depth.build();
  return depth.most();
}

Schedulable schedule_windows(const std::vector<Placement>& admitted, const WindowRule& window,
                             std::int64_t limit) {
  Schedulable answer = Schedulable::yes;
  std::size_t first = 0;
  std::int64_t open_until = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i <= admitted.size(); ++i) {
    if (i == admitted.size() || admitted[i].low_us >= open_until) {
      const Schedulable cluster = schedule_cluster(admitted, first, i, window, limit);
      if (cluster == Schedulable::no) return cluster;
      if (cluster == Schedulable::undetermined) answer = cluster;
      first = i;
    }
    if (i < admitted.size()) open_until = std::max(open_until, window.end(admitted[i].high_us));
  }
  return answer;
}

void decide_over_admission(const History& history, const WindowRule& window, std::int64_t limit,
                           Figures& figures) {
  if (figures.max_certain > limit) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = Proof::containment;
    return;
  }
  if (figures.max_possible <= limit) return;  // the bound proves: none
  switch (schedule_windows(history.admitted, window, limit)) {
    case Schedulable::yes:
      figures.proof = Proof::witness;
      break;
    case Schedulable::no:
      figures.proof = Proof::schedule;
      break;
    case Schedulable::undetermined:
      figures.proof = Proof::undetermined;
      break;
  }
  figures.over_admission =
      figures.proof == Proof::schedule ? OverAdmission::certain : OverAdmission::possible;
}

DenialRule denial_rule_of(const History& history, const Contract& contract,
                          const JudgeOptions& options) {
  DenialRule rule;
  rule.limit = contract.limit;
  rule.counts_denied = contract.counts_denied;
  if (contract.block_us > 0) rule.block_us = contract.block_us + options.tolerance_us;
  if (!options.fresh) {
    const std::int64_t memory = std::max(contract.window_us, contract.block_us);
    rule.verifiable_from_us = history.from_us + memory + options.tolerance_us;
  }
  return rule;
}

void count_denials(const History& history, const std::vector<Opinion>& opinions, Figures& figures) {
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    switch (opinions[i]) {
      case Opinion::right:
        ++figures.right;
        break;
      case Opinion::wrong:
        ++figures.wrong;
        figures.certain_false_denials.push_back(history.denied[i].record);
        break;
      case Opinion::unverifiable:
        ++figures.unverifiable_denials;
        [[fallthrough]];
      case Opinion::undecided:
        ++figures.undecided;
        break;
    }
  }
  std::sort(figures.certain_false_denials.begin(), figures.certain_false_denials.end());
}

void count_admissions(const History& history, const std::vector<Opinion>& opinions,
                      Figures& figures) {
  std::int64_t wrong = 0;
  std::int64_t undecided = 0;
  for (const Opinion opinion : opinions) {
    if (opinion == Opinion::right) ++figures.right;
    if (opinion == Opinion::wrong) ++wrong;
    if (opinion == Opinion::undecided) ++undecided;
  }
  const std::int64_t least = records_in_excess(history, figures.excess_certain);
  const std::int64_t named = std::clamp<std::int64_t>(least - wrong, 0, undecided);
  figures.wrong += wrong + named;
  figures.undecided += undecided - named;
}

Figures judge_windows(const History& history, const Contract& contract,
                      const JudgeOptions& options) {
  const WindowRules rules = rules_of(contract, options);
  Figures figures;
  Containment contained = most_certain(history.admitted, rules.admissions, contract.limit);
  figures.max_certain = contained.count;
  figures.worst_window = std::move(contained.window);
  figures.max_possible = most_possible(history, rules.admissions);
  figures.excess_certain = least_excess(history.admitted, rules.admissions, contract.limit);
  decide_over_admission(history, rules.admissions, contract.limit, figures);
  count_denials(history,
                judge_denials(history, rules.denials, denial_rule_of(history, contract, options)),
                figures);
  count_admissions(history, admission_opinions(history, rules.admissions, contract, figures),
                   figures);
  return figures;
}

}  // namespace rlctl
