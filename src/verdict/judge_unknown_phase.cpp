#include "verdict/judge_unknown_phase.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "verdict/containment.h"
#include "verdict/judge_windows.h"
#include "verdict/opinion.h"

namespace rlctl {
namespace {

// Finds, for aligned windows with an unknown phase, the phase that is best for the limiter. Pure.
//
// A violation must be certain for every phase. When the phase goes once around the circle, each of
// an operation's two ends moves into the previous window exactly once. So 2n changes keep the
// counts of all windows up to date, and the least of their maximum and of their excess is found in
// O(n log n). (L + 1 admissions excuse exactly the phases that put an edge between them, in (min
// low, max high]. A phase that every such set excuses is a phase at which this maximum is at most
// L.)
struct BestPhase {
  std::int64_t phase_us = 0;     // the middle of the widest range with the least max_certain
  std::int64_t max_certain = 0;  // over all phases, the least maximum of a window's certain count
  std::int64_t excess = 0;       // over all phases, the least sum above the limit
};

// The certain contents of each aligned window, while operations move between windows.
class WindowCounts {
 public:
  explicit WindowCounts(std::int64_t limit) : limit_(limit) {}

  void add(std::int64_t window, std::int64_t by) {
    std::int64_t& count = counts_[window];
    excess_ -= std::max<std::int64_t>(0, count - limit_);
    if (count > 0 && --how_many_[count] == 0) how_many_.erase(count);
    count += by;
    if (count > 0) ++how_many_[count];
    excess_ += std::max<std::int64_t>(0, count - limit_);
    if (count == 0) counts_.erase(window);
  }
  std::int64_t most() const { return how_many_.empty() ? 0 : how_many_.rbegin()->first; }
  std::int64_t excess() const { return excess_; }

 private:
  std::int64_t limit_;
  std::unordered_map<std::int64_t, std::int64_t> counts_;
  std::map<std::int64_t, std::int64_t> how_many_;  // count -> windows with it
  std::int64_t excess_ = 0;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// From this phase on, this end of the operation lies in the previous window.
struct Move {
  std::int64_t phase_us;
  std::size_t operation;
  bool is_high;
};

struct Ends {
  std::int64_t low;
  std::int64_t high;
};

std::vector<Move> moves_of(const std::vector<Placement>& admitted, std::int64_t window_us) {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    const auto into = [window_us](std::int64_t t) {
      return t - floor_div(t, window_us) * window_us;
    };
    moves.push_back({into(admitted[i].low_us) + 1, i, false});
    moves.push_back({into(admitted[i].high_us) + 1, i, true});
  }
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.phase_us < b.phase_us; });
  return moves;
}

class Sweep {
 public:
  Sweep(const std::vector<Placement>& admitted, std::int64_t window_us, std::int64_t limit)
      : admitted_(admitted), window_us_(window_us), limit_(limit), counts_(limit) {
    for (std::size_t i = 0; i < admitted.size(); ++i) {
      ends_.push_back(
          {floor_div(admitted[i].low_us, window_us), floor_div(admitted[i].high_us, window_us)});
      count(i, 1);
      alone_ = std::max(alone_, admitted[i].cost > limit ? admitted[i].cost : 0);
    }
  }

  BestPhase run() {
    const std::vector<Move> moves = moves_of(admitted_, window_us_);
    std::size_t next = 0;
    for (std::int64_t phase = 0; phase < window_us_;) {
      for (; next < moves.size() && moves[next].phase_us == phase; ++next) move(moves[next]);
      const std::int64_t until =
          next < moves.size() ? std::min(moves[next].phase_us, window_us_) : window_us_;
      consider(phase, until);
      phase = until;
    }
    return best_;
  }

  // Phases at which no window holds too many for certain, the widest ranges first.
  std::vector<std::int64_t> possible(std::size_t most) {
    run();
    std::ranges::stable_sort(ranges_, std::greater<>(), &Range::width_us);
    std::vector<std::int64_t> phases;
    for (const Range& range : ranges_)
      if (phases.size() < most) phases.push_back(range.middle_us);
    return phases;
  }

 private:
  // An operation that costs more than the limit is too large in every window.
  void count(std::size_t i, std::int64_t sign) {
    const bool inside = ends_[i].low == ends_[i].high;
    if (inside) counts_.add(ends_[i].low, sign * admitted_[i].cost);
    if (!inside && admitted_[i].cost > limit_) split_excess_ += sign * (admitted_[i].cost - limit_);
  }

  void move(const Move& move) {
    count(move.operation, -1);
    --(move.is_high ? ends_[move.operation].high : ends_[move.operation].low);
    count(move.operation, 1);
  }

  struct Range {
    std::int64_t width_us;
    std::int64_t middle_us;
  };

  void consider(std::int64_t from, std::int64_t until) {
    const std::int64_t most = std::max(counts_.most(), alone_);
    const std::int64_t excess = counts_.excess() + split_excess_;
    if (most <= limit_) ranges_.push_back({until - from, from + (until - from) / 2});
    best_.excess = widest_ == 0 ? excess : std::min(best_.excess, excess);
    const bool better = widest_ == 0 || most < best_.max_certain;
    if (!better && (most > best_.max_certain || until - from <= widest_)) return;
    best_.max_certain = most;
    widest_ = until - from;
    best_.phase_us = from + widest_ / 2;
  }

  const std::vector<Placement>& admitted_;
  std::int64_t window_us_;
  std::int64_t limit_;
  WindowCounts counts_;
  std::vector<Ends> ends_;
  std::int64_t alone_ = 0;
  std::int64_t split_excess_ = 0;
  std::int64_t widest_ = 0;
  std::vector<Range> ranges_;
  BestPhase best_;
};

BestPhase best_phase(const std::vector<Placement>& admitted, std::int64_t window_us,
                     std::int64_t limit) {
  return Sweep(admitted, window_us, limit).run();
}

// With a tolerance an operation may count for the window on either side of an edge.
std::vector<Placement> widened(std::vector<Placement> placements, std::int64_t by_us) {
  for (Placement& p : placements) p.high_us += by_us;
  return placements;
}

// A denial is wrong only if it is wrong at every phase: the sliding window decides that. It is
// right if it is right at the best phase.
std::vector<Opinion> denial_opinions(const History& history, const Rule& best,
                                     const JudgeOptions& options) {
  const DenialRule rule = denial_rule_of(history, best, options);
  const WindowRule sliding = WindowRule::sliding(best.window_us, options.tolerance_us);
  std::vector<Opinion> opinions = judge_denials(history, sliding, rule);
  const auto at_best = judge_denials(history, rules_of(best, options).denials, rule);
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    if (opinions[i] == Opinion::right) opinions[i] = Opinion::undecided;
    if (opinions[i] == Opinion::undecided && at_best[i] == Opinion::right) {
      opinions[i] = Opinion::right;
    }
  }
  return opinions;
}

}  // namespace

std::vector<std::int64_t> possible_phases(const History& history, const Rule& rule,
                                          const JudgeOptions& options, std::size_t most) {
  return Sweep(widened(history.admitted, options.tolerance_us), rule.window_us, rule.limit)
      .possible(most);
}

RuleOpinion judge_unknown_phase(const History& history, const Rule& contract,
                                const JudgeOptions& options) {
  const BestPhase phase = best_phase(widened(history.admitted, options.tolerance_us),
                                     contract.window_us, contract.limit);
  Rule best = contract;
  best.phase_us = phase.phase_us;
  const WindowRules rules = rules_of(best, options);
  Figures figures;
  figures.max_certain = phase.max_certain;
  figures.excess_certain = phase.excess;
  figures.worst_window = most_certain(history.admitted, rules.admissions, contract.limit).window;
  figures.max_possible =
      most_possible(history, WindowRule::sliding(contract.window_us, -options.tolerance_us));
  decide_over_admission(history, rules.admissions, contract.limit, figures);
  if (figures.proof == Proof::schedule) {  // proven for this phase only
    figures.proof = Proof::undetermined;
    figures.over_admission = OverAdmission::possible;
  }
  return {std::move(figures), denial_opinions(history, best, options),
          judge_admissions(history, rules.admissions, contract.limit, contract.counts_denied)};
}

}  // namespace rlctl
