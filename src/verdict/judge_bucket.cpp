#include "verdict/judge_bucket.h"

#include <algorithm>
#include <map>
#include <optional>

#include "verdict/algorithm/feasibility.h"
#include "verdict/bucket_fill.h"
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
    return Scheduler<Wide, BucketPace>(std::move(jobs), BucketPace(rule_)).run();
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
        if (over <= 0) break;
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
  // itself: a client that is admitted at the refill rate keeps the bucket empty.
  void add_unseen(std::vector<Placement>& may) const {
    if (!unseen_until_us_) return;
    Placement unseen;
    unseen.low_us = unseen.high_us = *unseen_until_us_;
    unseen.cost = rule_.capacity;
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
