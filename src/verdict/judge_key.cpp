#include "verdict/judge_key.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "verdict/algorithm/window_rule.h"
#include "verdict/containment.h"
#include "verdict/joint_placement.h"
#include "verdict/judge_bucket.h"
#include "verdict/judge_in_flight.h"
#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

void add_counts(const History& history, Figures& figures) {
  figures.allowed = static_cast<std::int64_t>(history.admitted.size());
  figures.denied = static_cast<std::int64_t>(history.denied.size());
  figures.unknown = static_cast<std::int64_t>(history.unknown.size());
  figures.failed = history.failed;
  figures.operations = figures.allowed + figures.denied + figures.unknown;
  figures.decisions = figures.allowed + figures.denied;
}

// What a rule allows in its worst window: the limit, or the capacity and the refill meanwhile.
double allowed_in(const Rule& rule, std::int64_t span_us) {
  const auto limit = static_cast<double>(rule.limit);
  if (!rule.row().takes_capacity) return std::max(limit, 1.0);
  const double windows = static_cast<double>(span_us) / static_cast<double>(rule.window_us);
  return std::max(static_cast<double>(rule.capacity) + limit * windows, 1.0);
}

void add_peak(const History& history, const Rule& rule, const JudgeOptions& options,
              Figures& figures) {
  const std::int64_t window = rule.window_us + (options.closed ? 1 : 0);
  const std::int64_t limit = rule.limit;
  if (!rule.has_window()) {
    figures.peak = figures.max_certain;
  } else if (rule.row().any_window) {
    figures.peak = figures.max_certain;
    figures.slack_us = window - widest_kept(history.admitted, window, limit);
  } else {
    const WindowRule sliding = WindowRule::sliding(window, -options.tolerance_us);
    figures.peak = most_certain(history.admitted, sliding, limit).count;
  }
  figures.burst_factor = burst_factor_of(figures.peak, rule);
  const std::int64_t span_us = figures.worst_window.to_us - figures.worst_window.from_us;
  figures.overshoot = static_cast<double>(figures.max_certain) / allowed_in(rule, span_us);
}

void add_accuracy(Figures& figures) {
  if (figures.decisions == 0) return;
  const auto decisions = static_cast<double>(figures.decisions);
  figures.accuracy_low = 100 * static_cast<double>(figures.right) / decisions;
  figures.accuracy_high = 100 * static_cast<double>(figures.decisions - figures.wrong) / decisions;
}

void add_sums(const Figures& key, Figures& totals) {
  totals.operations += key.operations;
  totals.allowed += key.allowed;
  totals.denied += key.denied;
  totals.unknown += key.unknown;
  totals.failed += key.failed;
  totals.excess_certain += key.excess_certain;
  totals.admitted_in_blocks += key.admitted_in_blocks;
  totals.contradictions += key.contradictions;
  totals.unverifiable_denials += key.unverifiable_denials;
  totals.decisions += key.decisions;
  totals.right += key.right;
  totals.wrong += key.wrong;
  totals.undecided += key.undecided;
  totals.certain_false_denials.insert(totals.certain_false_denials.end(),
                                      key.certain_false_denials.begin(),
                                      key.certain_false_denials.end());
}

void add_worst(const Figures& key, Figures& totals) {
  totals.max_certain = std::max(totals.max_certain, key.max_certain);
  totals.max_possible = std::max(totals.max_possible, key.max_possible);
  totals.peak = std::max(totals.peak, key.peak);
  totals.burst_factor = std::max(totals.burst_factor, key.burst_factor);
  totals.overshoot = std::max(totals.overshoot, key.overshoot);
  totals.slack_us = std::max(totals.slack_us, key.slack_us);
  if (totals.together >= key.together) return;
  totals.together = key.together;
  totals.against = key.against;
}

auto badness(const Figures& figures) {
  return std::make_tuple(figures.proof, figures.together, figures.max_certain,
                         figures.excess_certain, figures.certain_false_denials.size(),
                         figures.max_possible);
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

// A lower bound on the number of wrong admissions: the excess, in records.
std::int64_t records_in_excess(const History& history, std::int64_t excess) {
  std::int64_t cost = 1;
  for (const Placement& p : history.admitted) cost = std::max(cost, p.cost);
  return (excess + cost - 1) / cost;
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

void combine(std::vector<Opinion>& all, const std::vector<Opinion>& more,
             Opinion (*with)(Opinion, Opinion)) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = with(all[i], more[i]);
}

// Rules have placements of their own; one must keep all of them.
bool needs_placement(const std::vector<Figures>& by_rule, const Figures& figures) {
  if (figures.proof == Proof::undetermined) return true;
  const auto is_possible = [](const Figures& one) {
    return one.over_admission == OverAdmission::possible;
  };
  return std::ranges::count_if(by_rule, is_possible) > 1;
}

// Each decision can be explained by itself. Holds needs one placement that explains all of them.
void settle(const History& history, const Rules& rules, const JudgeOptions& options,
            const std::vector<Opinion>& denials, JudgedKey& judged) {
  Figures& figures = judged.together;
  if (figures.over_admission == OverAdmission::certain) return;
  if (!figures.certain_false_denials.empty()) return;
  const bool admissions_too = needs_placement(judged.by_rule, figures);
  add_joint(place_jointly(history, rules, options, denials, admissions_too), admissions_too,
            figures);
  if (figures.proof == Proof::witness) std::ranges::for_each(judged.by_rule, add_witness);
}

// Its judge knows what is certain, and figures at likely phases: one placement settles the rest.
JudgedKey settled_in_steps(const History& history, const Rules& rules,
                           const JudgeOptions& options) {
  JudgedKey judged{judge_in_steps(history, rules.front(), options), {}};
  const std::vector<Opinion> denials(history.denied.size(), Opinion::undecided);
  settle(history, rules, options, denials, judged);
  return judged;
}

// A block that the log does not show lasts at most so long. The first admission after the log's
// begin ends it too, but for the tolerance at both ends: a limiter that keeps its promise admits
// nothing during a block.
std::int64_t end_of_unseen_block(const History& history, const Rule& rule,
                                 const JudgeOptions& options) {
  if (options.fresh) return std::numeric_limits<std::int64_t>::min();
  std::int64_t end = history.from_us + rule.block_us + options.tolerance_us;
  for (const Placement& p : history.admitted)
    if (p.low_us > history.from_us) end = std::min(end, p.high_us + 2 * options.tolerance_us);
  return end;
}

// The denials that certainly found no room in this rule, even if its window was shorter by the
// tolerance. A µs earlier, and with a window shorter by that, admissions of the same µs do not
// count: the denial may have come first. `right`: the denials that it certainly explains; of a
// replay of first hits these found no room, but for that order.
std::vector<Opinion> certainly_full(const History& history, const Rule& window,
                                    const JudgeOptions& options, std::vector<Opinion> right) {
  if (window.kind == RuleKind::first_hit) {
    for (std::size_t i = 0; i < right.size(); ++i)
      if (std::ranges::binary_search(history.admitted, history.denied[i].low_us, {},
                                     &Placement::low_us))
        right[i] = Opinion::undecided;
    return right;
  }
  History before = history;
  for (Placement& p : before.denied) {
    --p.low_us;
    --p.high_us;
  }
  JudgeOptions shorter = options;
  shorter.tolerance_us = -options.tolerance_us - 1;
  return judge_by_kind(before, window, shorter).denials;
}

// What the window says of the denials. If another rule may explain them, this one starts a block
// for certain only if it had no room.
std::vector<Opinion> by_window(const History& history, const Rule& window,
                               const JudgeOptions& options, bool alone) {
  std::vector<Opinion> opinions = judge_by_kind(history, window, options).denials;
  if (alone) return opinions;
  const std::vector<Opinion> full = certainly_full(history, window, options, opinions);
  for (std::size_t i = 0; i < opinions.size(); ++i)
    if (opinions[i] == Opinion::right && full[i] != Opinion::right)
      opinions[i] = Opinion::undecided;
  return opinions;
}

// A block is part of the promise: nothing may be admitted while it is active.
void find_admissions_in_blocks(const History& history, const Rule& rule,
                               const JudgeOptions& options, bool alone, RuleOpinion& opinion) {
  // An unanswered request may have been denied, and its block may have ended in between.
  if (rule.block_us == 0 || rule.has_unknown_phase() || !history.unknown.empty()) return;
  if (history.denied.empty() || history.admitted.empty()) return;
  Rule window = rule;
  window.block_us = 0;
  // At its end, a block may still explain a denial, but no longer forbids an admission.
  const BlockLength length{rule.block_us - options.tolerance_us - 1,
                           rule.block_us + options.tolerance_us};
  const std::int64_t unseen_until_us = end_of_unseen_block(history, rule, options);
  const std::vector<Span> blocks = certain_blocks(
      history.denied, by_window(history, window, options, alone), length, unseen_until_us);
  Figures& figures = opinion.figures;
  for (std::size_t i = 0; i < history.admitted.size(); ++i) {
    if (!is_inside_any(blocks, history.admitted[i])) continue;
    opinion.admissions[i] = Opinion::wrong;
    ++figures.admitted_in_blocks;
  }
  if (figures.admitted_in_blocks == 0) return;
  figures.over_admission = OverAdmission::certain;
  figures.proof = Proof::block;
}

}  // namespace

History history_of(const JudgedLog& judged, std::span<const std::uint32_t> records,
                   const Rules& rules) {
  History history =
      make_history(judged.log, records, judged.frame, work_ends(judged.log, rules, judged.options));
  history.from_us = judged.from_us;
  return history;
}

std::optional<WorkEnds> work_ends(const Log& head, const Rules& rules,
                                  const JudgeOptions& options) {
  if (!any_in_flight(rules)) return std::nullopt;
  return WorkEnds{head.has_finishes, options.held_at_least_us, options.tolerance_us};
}

RuleOpinion opinion_by(const History& history, const Rule& rule, const JudgeOptions& options,
                       bool alone) {
  RuleOpinion opinion = judge_by_kind(history, rule, options);
  if (!history.reserved.empty()) {
    History reserving = history;
    reserving.admitted = history.reserved;
    opinion.denials = judge_by_kind(reserving, rule, options).denials;
  }
  find_admissions_in_blocks(history, rule, options, alone, opinion);
  add_peak(history, rule, options, opinion.figures);
  return opinion;
}

Opinion either(Opinion a, Opinion b) {
  if (a == Opinion::right || b == Opinion::right) return Opinion::right;
  if (a == Opinion::undecided || b == Opinion::undecided) return Opinion::undecided;
  return a == Opinion::wrong ? b : a;
}

Opinion both(Opinion a, Opinion b) {
  if (a == Opinion::wrong || b == Opinion::wrong) return Opinion::wrong;
  return a == b ? a : Opinion::undecided;
}

Figures counted_figures(const History& history, RuleOpinion opinion) {
  Figures figures = std::move(opinion.figures);
  add_counts(history, figures);
  count_denials(history, opinion.denials, figures);
  count_admissions(history, opinion.admissions, figures);
  add_accuracy(figures);
  return figures;
}

void add_joint(JointPlacement joint, bool admissions_too, Figures& figures) {
  if (joint.answer == Schedulable::yes) {
    if (admissions_too) figures.proof = Proof::witness;
  } else if (joint.answer == Schedulable::no && !joint.about_denials) {
    figures.proof = Proof::schedule;
    figures.over_admission = OverAdmission::certain;
  } else if (!joint.about_denials) {
    figures.proof = Proof::undetermined;
  } else {
    const bool impossible = joint.answer == Schedulable::no;
    figures.together = impossible ? Together::impossible : Together::not_found;
    figures.contradictions = impossible ? 1 : 0;
    // What one rule alone proved is no placement that keeps all of them.
    if (impossible && admissions_too) figures.proof = Proof::undetermined;
    figures.against = std::move(joint.against);
  }
}

void add_witness(Figures& figures) {
  if (figures.proof == Proof::undetermined) figures.proof = Proof::witness;
}

JudgedKey judge_key(const History& history, const Rules& rules, const JudgeOptions& options) {
  if (rules.size() == 1 && rules.front().step_us > 0)
    return settled_in_steps(history, rules, options);
  const bool alone = rules.size() == 1;
  RuleOpinion all = opinion_by(history, rules.front(), options, alone);
  JudgedKey judged;
  if (rules.size() > 1) judged.by_rule.push_back(counted_figures(history, all));
  for (std::uint32_t i = 1; i < rules.size(); ++i) {
    RuleOpinion opinion = opinion_by(history, rules[i], options, alone);
    combine(all.denials, opinion.denials, either);
    combine(all.admissions, opinion.admissions, both);
    const double overshoot = std::max(all.figures.overshoot, opinion.figures.overshoot);
    if (badness(opinion.figures) > badness(all.figures)) {
      all.figures = opinion.figures;
      all.figures.rule = i;
    }
    all.figures.overshoot = overshoot;
    judged.by_rule.push_back(counted_figures(history, std::move(opinion)));
  }
  const std::vector<Opinion> denials = all.denials;
  judged.together = counted_figures(history, std::move(all));
  settle(history, rules, options, denials, judged);
  return judged;
}

void leave_open(Figures& figures) {
  const auto open = std::ssize(figures.certain_false_denials);
  figures.certain_false_denials.clear();
  figures.wrong -= open;
  figures.undecided += open + std::exchange(figures.right, 0);
  figures.together = Together::explained;
  figures.contradictions = 0;
  figures.against.clear();
  add_accuracy(figures);
}

void Totals::add(const Figures& key, std::uint32_t number) {
  add_sums(key, sums_);
  add_largest(key, number);
  describe(key, number);
}

void Totals::join(const Totals& other) {
  add_sums(other.sums_, sums_);
  add_largest(other.sums_, other.against_number_);
  if (other.worst_number_ != kNoKey) describe(other.worst_, other.worst_number_);
}

void Totals::add_largest(const Figures& key, std::uint32_t against_number) {
  if (key.together > sums_.together) against_number_ = against_number;
  if (key.together == sums_.together && against_number < against_number_ &&
      key.together != Together::explained) {
    sums_.against = key.against;
    against_number_ = against_number;
  }
  add_worst(key, sums_);
}

void Totals::describe(const Figures& key, std::uint32_t number) {
  const bool is_first = worst_number_ == kNoKey;
  if (!is_first && badness(key) < badness(worst_)) return;
  if (!is_first && badness(key) == badness(worst_) && number >= worst_number_) return;
  worst_ = key;
  worst_number_ = number;
}

Figures Totals::take_with(Figures sums) {
  add_worst(sums_, sums);
  sums_ = std::move(sums);
  return take();
}

Figures Totals::take() {
  sums_.over_admission = worst_.over_admission;
  sums_.proof = worst_.proof;
  sums_.rule = worst_.rule;
  sums_.worst_window = std::move(worst_.worst_window);
  std::sort(sums_.certain_false_denials.begin(), sums_.certain_false_denials.end());
  add_accuracy(sums_);
  return std::move(sums_);
}

bool guiltier(const Figures& a, const Figures& b) {
  const auto guilt = [](const Figures& figures) {
    const std::int64_t proven = figures.excess_certain + figures.admitted_in_blocks;
    return std::tuple(figures.over_admission == OverAdmission::certain, proven,
                      figures.certain_false_denials.size(), badness(figures));
  };
  return guilt(a) > guilt(b);
}

}  // namespace rlctl
