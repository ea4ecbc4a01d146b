#include "verdict/judge_bucket.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "verdict/algorithm/feasibility.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/bucket_fill.h"
#include "verdict/containment.h"
#include "verdict/judge_windows.h"
#include "verdict/opinion.h"
#include "verdict/pace.h"

namespace rlctl {
namespace {

std::vector<std::int64_t> starts_of(const std::vector<Placement>& placements) {
  std::vector<std::int64_t> starts;
  for (const Placement& p : placements) starts.push_back(p.low_us);
  return starts;
}

std::vector<std::int64_t> ends_of(const std::vector<Placement>& placements) {
  std::vector<std::int64_t> ends;
  for (const Placement& p : placements) ends.push_back(p.high_us);
  return ends;
}

std::vector<Placement> joined(const std::vector<Placement>& a, const std::vector<Placement>& b) {
  std::vector<Placement> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

std::vector<Placement> by_end(std::vector<Placement> placements) {
  std::sort(placements.begin(), placements.end(), [](const Placement& a, const Placement& b) {
    return a.high_us != b.high_us ? a.high_us < b.high_us : a.low_us < b.low_us;
  });
  return placements;
}

class BucketJudge {
 public:
  BucketJudge(const History& history, const Rule& contract, const JudgeOptions& options)
      : history_(history),
        rule_{contract.capacity, contract.limit, contract.window_us, options.tolerance_us},
        allowance_(rule_.drops(rule_.capacity)),
        slack_(rule_.refill(options.tolerance_us)),
        denial_rule_(denial_rule_of(history, contract, options)) {
    denial_rule_.limit = contract.capacity;
    if (denial_rule_.verifiable_from_us) unseen_until_us_ = history.from_us;
  }

  RuleOpinion run() {
    find_worst_span();
    const std::vector<Placement> others = joined(history_.admitted, history_.unknown);
    const PossibleFill possible(others, {}, rule_);
    // The two may have different worst spans.
    figures_.max_possible = std::max(possible.worst_count(), figures_.max_certain);
    decide(possible.worst());
    if (figures_.proof == Proof::containment) figures_.excess_certain = least_excess();
    return {std::move(figures_), denial_opinions(), admission_opinions()};
  }

 private:
  void find_worst_span() {
    for (const Placement& p : history_.admitted) {  // each alone, at any instant
      if (rule_.drops(p.cost) <= worst_) continue;
      worst_ = rule_.drops(p.cost);
      figures_.max_certain = p.cost;
      figures_.worst_window = {p.low_us, p.high_us, {p.record}};
    }
    SpanTree spans(starts_of(history_.admitted), rule_);
    for (const Placement& p : by_end(history_.admitted)) {
      spans.add(p.low_us, p.cost);
      const Wide excess = spans.best() - rule_.refill(p.high_us);
      if (excess > worst_) {
        worst_ = excess;
        figures_.max_certain = spans.best_tokens();
        figures_.worst_window = {spans.best_start(), p.high_us, {}};
      }
    }
    name_records();
  }

  void name_records() {
    WorstWindow& worst = figures_.worst_window;
    if (figures_.max_certain == 0 || !worst.records.empty()) return;
    for (const Placement& p : history_.admitted) {
      if (p.low_us >= worst.from_us && p.high_us <= worst.to_us) worst.records.push_back(p.record);
    }
  }

  void decide(Wide possible) {
    if (worst_ > allowance_ + slack_) {
      figures_.over_admission = OverAdmission::certain;
      figures_.proof = Proof::containment;
    } else if (possible > allowance_ + slack_) {
      const Schedulable answer = schedule();
      figures_.over_admission =
          answer == Schedulable::no ? OverAdmission::certain : OverAdmission::possible;
      figures_.proof = answer == Schedulable::no    ? Proof::schedule
                       : answer == Schedulable::yes ? Proof::witness
                                                    : Proof::undetermined;
    }
  }

  Schedulable schedule() const {
    std::vector<Job<Wide>> jobs;
    for (const Placement& p : history_.admitted) {
      jobs.push_back({rule_.refill(p.low_us), rule_.refill(p.high_us), p.cost});
    }
    constexpr Wide kAlwaysFull = -(static_cast<Wide>(1) << 120);
    const TokenBucket<Wide> bucket{rule_.drops(1), rule_.capacity,
                                   rule_.refill(rule_.tolerance_us)};
    return Scheduler(std::move(jobs), BucketPace(bucket, kAlwaysFull)).run();
  }

  // As for windows: in ascending order of the end; at each violation the latest start is removed,
  // because it is in every later span that holds any of the others.
  std::int64_t least_excess() const {
    std::int64_t excess = 0;
    SpanTree spans(starts_of(history_.admitted), rule_);
    std::map<std::int64_t, std::int64_t> kept;
    for (const Placement& p : by_end(history_.admitted)) {
      const std::int64_t cost = std::min(p.cost, rule_.capacity);
      excess += p.cost - cost;
      if (cost == 0) continue;
      spans.add(p.low_us, cost);
      kept[p.low_us] += cost;
      for (;;) {
        const Wide over = spans.best() - rule_.refill(p.high_us) - allowance_ - slack_;
        if (over <= 0 || kept.empty()) break;  // of a tolerance below 0, one may be too many
        const auto last = std::prev(kept.end());
        const Wide needed = (over + rule_.window_us - 1) / rule_.window_us;
        const auto gone = static_cast<std::int64_t>(std::min<Wide>(last->second, needed));
        spans.add(last->first, -gone);
        excess += gone;
        if ((last->second -= gone) == 0) kept.erase(last);
      }
    }
    return excess;
  }

  // Requests before the log may have emptied the bucket. Unlike a window, that does not end by
  // itself: a client that is admitted at the refill rate keeps the bucket empty. Denied requests
  // that count may have taken any number more.
  void add_unseen(std::vector<Placement>& may) const {
    if (!unseen_until_us_) return;
    Placement unseen;
    unseen.low_us = unseen.high_us = *unseen_until_us_;
    unseen.cost = denial_rule_.counts_denied ? kMostCapacity : rule_.capacity;
    may.push_back(unseen);
  }

  std::vector<Opinion> denial_opinions() const {
    std::vector<Placement> may = joined(history_.admitted, history_.unknown);
    std::vector<Placement> must = history_.admitted;
    if (denial_rule_.counts_denied) {
      may = joined(may, history_.denied);
      must = joined(must, history_.denied);
    }
    const PossibleFill possible(may, starts_of(history_.denied), rule_);
    const CertainFill certain(must, ends_of(history_.denied), rule_);
    add_unseen(may);
    const PossibleFill with_unseen(may, starts_of(history_.denied), rule_);
    std::vector<Opinion> opinions;
    for (const Placement& p : history_.denied) {
      const Wide itself = denial_rule_.counts_denied ? rule_.drops(p.cost) : 0;
      const Wide most = possible.most(p.low_us, p.high_us) - itself;
      const Wide least = std::max<Wide>(0, certain.least_after(p.low_us, p.high_us) - itself);
      const Wide room = allowance_ - rule_.drops(p.cost) - slack_;
      const bool wrong = most <= room;
      const bool explained = wrong && with_unseen.most(p.low_us, p.high_us) - itself > room;
      opinions.push_back(least > room ? Opinion::right
                         : explained  ? Opinion::unverifiable
                         : wrong      ? Opinion::wrong
                                      : Opinion::undecided);
    }
    if (denial_rule_.block_us > 0) {
      explain_by_block(history_, block_starts(history_, opinions), denial_rule_.block_us, opinions);
    }
    excuse_unseen(history_.denied, denial_rule_.verifiable_from_us, opinions);
    return opinions;
  }

  std::vector<Opinion> admission_opinions() const {
    std::vector<Placement> may = joined(history_.admitted, history_.unknown);
    std::vector<Placement> must = history_.admitted;
    if (denial_rule_.counts_denied) {
      may = joined(may, history_.denied);
      must = joined(must, history_.denied);
    }
    const PossibleFill possible(may, {}, rule_);
    const CertainFill certain(must, {}, rule_);
    const Ties ties = ties_of(history_.admitted);
    std::vector<Opinion> opinions;
    for (std::size_t i = 0; i < history_.admitted.size(); ++i) {
      const Placement& p = history_.admitted[i];
      const Wide most = possible.most(p.low_us, p.high_us) - rule_.drops(ties.after[i]);
      const Wide least =
          certain.least_before(p.low_us, p.high_us) + rule_.drops(ties.before[i] + p.cost);
      const Wide room = allowance_ + slack_;
      opinions.push_back(most <= room   ? Opinion::right
                         : least > room ? Opinion::wrong
                                        : Opinion::undecided);
    }
    return opinions;
  }

  const History& history_;
  BucketRule rule_;
  Wide allowance_;
  Wide slack_;
  DenialRule denial_rule_;
  std::optional<std::int64_t> unseen_until_us_;  // the log's beginning, if keys were in use
  Wide worst_ = 0;
  Figures figures_;
};

}  // namespace

RuleOpinion judge_bucket(const History& history, const Rule& contract,
                         const JudgeOptions& options) {
  return BucketJudge(history, contract, options).run();
}

}  // namespace rlctl

namespace rlctl {
namespace {

using Instant = std::int64_t;

constexpr std::size_t kMostOperationsForAllPhases = 60;
constexpr std::size_t kMostPhases = 24;
constexpr Instant kMostStepsOfProof = 16;

Instant whole_steps(Instant a, Instant b) { return a / b - (a % b < 0 ? 1 : 0); }

Instant into(Instant t, Instant step) { return t - whole_steps(t, step) * step; }

// A part of the history, from its first admission on. Before it the bucket was full.
struct Part {
  Instant from_us = std::numeric_limits<Instant>::min();
  Instant phase_us = 0;
  bool all_phases_tried = false;
};

template <typename Use>
void for_each_placement(const History& history, Use use) {
  for (const auto* all : {&history.admitted, &history.unknown, &history.denied})
    for (const Placement& p : *all) use(p);
}

std::vector<Placement> may_be_admitted(const History& history) {
  std::vector<Placement> all = history.admitted;
  all.insert(all.end(), history.unknown.begin(), history.unknown.end());
  std::sort(all.begin(), all.end(),
            [](const Placement& a, const Placement& b) { return a.low_us < b.low_us; });
  return all;
}

// The limiter's clock may be off by the tolerance, so that any instant may be in the next step.
History widened(History history, Instant by_us) {
  for (auto* all : {&history.admitted, &history.unknown, &history.denied})
    for (Placement& p : *all) {
      p.low_us -= by_us;
      if (p.high_us < kOpenEnd) p.high_us += by_us;
    }
  return history;
}

class StepJudge {
 public:
  StepJudge(const History& history, const Rule& rule, const JudgeOptions& options)
      : real_(history),
        history_(widened(history, options.tolerance_us)),
        rule_(rule),
        options_(options),
        refill_(rule.refill_per_step()) {
    options_.tolerance_us = 0;
    collect_instants();
    // More than the refill by all ranks.
    longest_step_ = 2 * (refill_ + 1) * (2 * static_cast<Instant>(instants_.size()) + 2);
    cut();
  }

  Figures run() {
    bool all_tried = !may_be_cut_elsewhere_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      choose_phase(i);
      all_tried = all_tried && parts_[i].all_phases_tried;
    }
    Figures figures = judge_mapped(mapped(history_, parts_), options_);
    show_real_times(figures);
    if (!all_tried) doubt(figures);
    // Figures at likely phases prove nothing more: a placement has to.
    if (figures.over_admission != OverAdmission::certain) figures.proof = Proof::undetermined;
    return figures;
  }

 private:
  void collect_instants() {
    std::set<Instant> all{history_.from_us};
    for_each_placement(history_, [&](const Placement& p) {
      all.insert(p.low_us);
      if (p.high_us < kOpenEnd) all.insert(p.high_us);
    });
    instants_.assign(all.begin(), all.end());
  }

  // The steps that certainly refill what may be missing end a part.
  void cut() {
    parts_.emplace_back();
    Instant missing = 0;
    Instant low = 0;
    Instant high = std::numeric_limits<Instant>::min();
    for (const Placement& p : may_be_admitted(history_)) {
      if (high != std::numeric_limits<Instant>::min()) {
        const Instant steps = std::max<Instant>(0, whole_steps(p.low_us - high, rule_.step_us));
        const Instant most = (p.high_us - low) / rule_.step_us + 1;
        const Instant needed = (missing + refill_ - 1) / std::max<Instant>(refill_, 1);
        // One step more, so that the refills of two parts are a step apart, too.
        if (refill_ > 0 && steps > needed) {
          parts_.push_back({.from_us = p.low_us});
          missing = 0;
        } else {
          may_be_cut_elsewhere_ = may_be_cut_elsewhere_ || (refill_ > 0 && most >= needed);
          missing = std::max<Instant>(0, missing - steps * refill_);
        }
      }
      missing += p.cost;
      low = p.low_us;
      high = std::max(high, p.high_us);
    }
  }

  // The number of the step, on the clock of the part that the instant lies in.
  Instant step_of(Instant t, const std::vector<Part>& parts) const {
    Instant number = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_last = i + 1 == parts.size() || t < parts[i + 1].from_us;
      const Instant end = is_last ? t : parts[i + 1].from_us;
      const Instant begin = i == 0 ? instants_.front() : parts[i].from_us;
      number += whole_steps(end - parts[i].phase_us, rule_.step_us) -
                whole_steps(begin - parts[i].phase_us, rule_.step_us);
      if (is_last) break;
    }
    return number;
  }

  Instant mapped(Instant t, const std::vector<Part>& parts) const {
    if (t >= kOpenEnd) return kOpenEnd;
    const auto rank = std::lower_bound(instants_.begin(), instants_.end(), t) - instants_.begin();
    return step_of(t, parts) * longest_step_ + 2 * rank;
  }

  History mapped(History history, const std::vector<Part>& parts) const {
    for (auto* all : {&history.admitted, &history.unknown, &history.denied})
      for (Placement& p : *all) {
        p.low_us = mapped(p.low_us, parts);
        p.high_us = mapped(p.high_us, parts);
      }
    history.from_us = mapped(history.from_us, parts);
    return history;
  }

  Figures judge_mapped(const History& history, const JudgeOptions& options) const {
    Rule even = rule_;
    even.step_us = 0;
    even.limit = refill_;
    even.window_us = longest_step_;
    return counted_figures(history, opinion_by(history, even, options, true));
  }

  History part_of(std::size_t i) const {
    const Instant end =
        i + 1 < parts_.size() ? parts_[i + 1].from_us : std::numeric_limits<Instant>::max();
    const auto is_outside = [&](const Placement& p) {
      return p.low_us < parts_[i].from_us || p.low_us >= end;
    };
    History part = history_;
    for (auto* all : {&part.admitted, &part.unknown, &part.denied}) std::erase_if(*all, is_outside);
    return part;
  }

  void choose_phase(std::size_t i) {
    const History part = part_of(i);
    JudgeOptions options = options_;
    options.fresh = options.fresh || i > 0;
    auto least = std::tuple(true, true, std::numeric_limits<Instant>::max());
    Instant best_us = 0;
    for (const Instant phase_us : phases_of(part, parts_[i])) {
      const std::vector<Part> alone{{.from_us = parts_[i].from_us, .phase_us = phase_us}};
      const Figures figures = judge_mapped(mapped(part, alone), options);
      const auto wrong = static_cast<Instant>(figures.certain_false_denials.size());
      const auto guilt =
          std::tuple(figures.over_admission == OverAdmission::certain || wrong > 0,
                     figures.proof == Proof::undetermined, figures.excess_certain + wrong);
      if (guilt >= least) continue;
      least = guilt;
      best_us = phase_us;
      if (!std::get<0>(least) && !std::get<1>(least)) break;
    }
    parts_[i].phase_us = best_us;
    if (!std::get<0>(least)) parts_[i].all_phases_tried = true;  // it is explained
  }

  // Those that change nothing for any instant are left out. Of a long part only the likely ones.
  std::vector<Instant> phases_of(const History& history, Part& part) const {
    const std::size_t operations =
        history.admitted.size() + history.unknown.size() + history.denied.size();
    part.all_phases_tried = operations <= kMostOperationsForAllPhases;
    std::vector<Instant> phases = likely_phases(history);
    if (!part.all_phases_tried) return phases;
    const auto add = [&](Instant t) {
      phases.push_back(into(t, rule_.step_us));
      phases.push_back(into(t + 1, rule_.step_us));
    };
    add(history.from_us);
    for_each_placement(history, [&](const Placement& p) {
      add(p.low_us);
      if (p.high_us < kOpenEnd) add(p.high_us);
    });
    return phases;
  }

  // Where a denial is followed by an admission, the bucket was refilled between them. The phases
  // that most of these pairs allow come first, then those of the first request and of the clock.
  std::vector<Instant> likely_phases(const History& history) const {
    std::vector<std::pair<Instant, Instant>> changes;  // phase, +1 or -1
    std::vector<Placement> denied = history.denied;
    for (const Placement& p : history.admitted) {
      const auto after =
          std::upper_bound(denied.begin(), denied.end(), p.low_us,
                           [](Instant t, const Placement& denial) { return t < denial.low_us; });
      if (after == denied.begin()) continue;
      const Instant from = std::prev(after)->low_us;
      if (p.high_us - from >= rule_.step_us) continue;
      const Instant begin = into(from, rule_.step_us);
      const Instant end = begin + (p.high_us - from) + 1;
      changes.insert(changes.end(), {{begin, 1}, {end, -1}});
      if (end > rule_.step_us) changes.insert(changes.end(), {{0, 1}, {end - rule_.step_us, -1}});
    }
    std::sort(changes.begin(), changes.end());
    std::vector<std::tuple<Instant, Instant, Instant>> ranges;  // -depth, begin, end
    Instant depth = 0;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
      depth += changes[i].second;
      if (changes[i + 1].first > changes[i].first)
        ranges.emplace_back(-depth, changes[i].first, changes[i + 1].first - 1);
    }
    std::sort(ranges.begin(), ranges.end());
    std::vector<Instant> phases;
    for (const auto& [negative, begin, end] : ranges) {
      if (phases.size() >= kMostPhases) break;
      for (const Instant phase : {begin + (end - begin) / 2, begin, end})
        phases.push_back(into(phase, rule_.step_us));
    }
    const std::vector<Placement> all = may_be_admitted(history);
    if (!all.empty()) {
      phases.push_back(into(all.front().low_us, rule_.step_us));
      if (all.front().high_us < kOpenEnd)
        phases.push_back(into(all.front().high_us, rule_.step_us));
    }
    phases.push_back(0);
    return phases;
  }

  // The worst window is shown by the clock, and the peak counts in real windows.
  void show_real_times(Figures& figures) const {
    WorstWindow& worst = figures.worst_window;
    const std::set<std::uint32_t> records(worst.records.begin(), worst.records.end());
    worst.from_us = std::numeric_limits<Instant>::max();
    worst.to_us = std::numeric_limits<Instant>::min();
    for (const Placement& p : real_.admitted) {
      if (!records.contains(p.record)) continue;
      worst.from_us = std::min(worst.from_us, p.low_us);
      worst.to_us = std::max(worst.to_us, p.high_us);
    }
    if (worst.records.empty()) worst.from_us = worst.to_us = 0;
    const WindowRule window = WindowRule::sliding(rule_.window_us, 0);
    figures.peak = most_certain(real_.admitted, window, rule_.limit).count;
    figures.burst_factor = burst_factor_of(figures.peak, rule_);
  }

  // Refills are a step apart or more. So a span of n steps holds n of them at most.
  bool breaks_every_phase() const {
    for (Instant steps = 0; steps <= kMostStepsOfProof; ++steps) {
      const WindowRule span = WindowRule::sliding(steps * rule_.step_us, 1);
      const Instant most = rule_.capacity + steps * refill_;
      if (most_certain(history_.admitted, span, most).count > most) return true;
    }
    return false;
  }

  // Not all phases were tried: only what holds for each of them is certain. Until the bucket is
  // full, a span of d has at least d / step - 1 refills.
  void doubt(Figures& figures) const {
    const bool is_over = figures.over_admission == OverAdmission::certain;
    if (!is_over && figures.certain_false_denials.empty()) return;
    Rule even = rule_;
    even.step_us = 0;
    even.capacity = std::max<Instant>(0, rule_.capacity - refill_);
    const Figures least = counted_figures(history_, opinion_by(history_, even, options_, true));
    if (is_over && !breaks_every_phase()) {
      figures.over_admission = OverAdmission::possible;
      figures.excess_certain = 0;
    }
    const std::size_t named = figures.certain_false_denials.size();
    std::erase_if(figures.certain_false_denials, [&](std::uint32_t record) {
      return !std::ranges::binary_search(least.certain_false_denials, record);
    });
    const auto doubtful = static_cast<Instant>(named - figures.certain_false_denials.size());
    figures.wrong -= doubtful;
    figures.undecided += doubtful;
  }

  const History& real_;
  History history_;
  Rule rule_;
  JudgeOptions options_;
  Instant refill_;
  Instant longest_step_ = 1;
  std::vector<Instant> instants_;  // of all ends, sorted
  std::vector<Part> parts_;
  bool may_be_cut_elsewhere_ = false;  // the phase may also have changed there
};

}  // namespace

Figures judge_in_steps(const History& history, const Rule& rule, const JudgeOptions& options) {
  return StepJudge(history, rule, options).run();
}

}  // namespace rlctl
