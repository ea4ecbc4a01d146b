#include "verdict/judge_in_flight.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "verdict/algorithm/step_function.h"
#include "verdict/opinion.h"

namespace rlctl {
namespace {

// Decided in [low_us, high_us], ended in [from_us, to_us].
struct Hold {
  std::int64_t low_us;
  std::int64_t high_us;
  std::int64_t from_us;
  std::int64_t to_us;
  std::int64_t cost;
  std::uint32_t record;

  bool is_certain() const { return from_us > high_us; }
};

std::int64_t after(std::int64_t at_us, std::int64_t length_us) {
  return at_us >= kOpenEnd ? kOpenEnd : at_us + length_us;
}

// A lease ends what is held longer.
class Lease {
 public:
  Lease(const Rule& rule, const JudgeOptions& options)
      : length_us_(rule.lease_us), tolerance_us_(options.tolerance_us) {}

  Hold hold_of(const Placement& p, const End& end, std::int64_t least_us) const {
    Hold hold{p.low_us, p.high_us, end.from_us, end.to_us, end.cost, p.record};
    hold.from_us = std::max(end.from_us, p.low_us + least_us);
    if (length_us_ == 0) return hold;
    hold.from_us = std::min(hold.from_us, hold.low_us + length_us_ - tolerance_us_);
    hold.to_us = std::min(hold.to_us, latest_end(hold.high_us));
    return hold;
  }

  std::int64_t latest_end(std::int64_t decided_us) const {
    return length_us_ == 0 ? kOpenEnd : after(decided_us, length_us_ + tolerance_us_);
  }

  // From here on, holders from before the log explain no denial.
  std::int64_t verifiable_from(const History& history) const {
    return length_us_ == 0 ? kOpenEnd : latest_end(history.from_us);
  }

 private:
  std::int64_t length_us_;
  std::int64_t tolerance_us_;
};

class InFlight {
 public:
  InFlight(const History& history, const Rule& rule, const JudgeOptions& options)
      : history_(history), limit_(rule.limit), options_(options), lease_(rule, options) {
    for (std::size_t i = 0; i < history.admitted.size(); ++i)
      holds_.push_back(
          lease_.hold_of(history.admitted[i], history.ends[i], history.held_at_least_us));
    add_depths();
  }

  RuleOpinion judge() {
    Figures figures;
    figures.max_possible = possible_.most();
    find_worst(figures);
    figures.excess_certain = excess();
    decide(figures);
    return {std::move(figures), denials(), admissions()};
  }

 private:
  // Possible: an instant belongs to a hold that ends and to one that begins in the same µs. Inside:
  // the instants before and after which a hold is certain, whatever the order within a µs is.
  void add_depths() {
    for (const Hold& hold : holds_) {
      possible_.add(hold.low_us, after(hold.to_us, 1), hold.cost);
      certain_.add(hold.high_us, hold.from_us, hold.cost);
      inside_.add(hold.high_us + 1, hold.from_us, hold.cost);
    }
    for (const Placement& p : history_.unknown)
      possible_.add(p.low_us, after(lease_.latest_end(p.high_us), 1), p.cost);
    possible_.build();
    certain_.build();
    inside_.build();
  }

  // The deepest overlap of holds that are certain, and its holders.
  void find_worst(Figures& figures) const {
    std::size_t deepest = 0;
    for (std::size_t step = 1; step < certain_.steps(); ++step)
      if (certain_.value(step) > certain_.value(deepest)) deepest = step;
    figures.max_certain = certain_.value(deepest);
    if (figures.max_certain > 0)
      set_worst(certain_.start(deepest), certain_.start(deepest + 1), nullptr, figures);
    for (const Hold& hold : holds_) consider_brief(hold, figures);
  }

  // A hold that may be over in an instant finds the others there, at whatever instant it is.
  void consider_brief(const Hold& hold, Figures& figures) const {
    if (hold.is_certain() && hold.cost <= figures.max_certain) return;
    const std::int64_t from_us = hold.is_certain() ? hold.high_us : earliest_instant(hold);
    const std::int64_t others = hold.is_certain() ? 0 : inside_.least(from_us, hold.high_us);
    if (others + hold.cost <= figures.max_certain) return;
    figures.max_certain = others + hold.cost;
    set_worst(hold.high_us, hold.high_us, &hold, figures);
  }

  std::int64_t earliest_instant(const Hold& hold) const {
    return std::clamp(hold.from_us, hold.low_us, hold.high_us);
  }

  void set_worst(std::int64_t from_us, std::int64_t to_us, const Hold* also,
                 Figures& figures) const {
    figures.worst_window = {from_us, to_us, {}};
    for (const Hold& hold : holds_) {
      const bool held = hold.high_us <= from_us && hold.from_us > from_us;
      if (held || &hold == also) figures.worst_window.records.push_back(hold.record);
    }
  }

  // Of holds that are certain: at each instant of too many, the one that ends last must go.
  std::int64_t excess() const {
    std::vector<Hold> by_start = holds_;
    std::ranges::stable_sort(by_start, {}, &Hold::high_us);
    std::map<std::int64_t, std::int64_t> kept;  // end -> units
    std::int64_t sum = 0, gone = 0;
    for (const Hold& hold : by_start) {
      for (; !kept.empty() && kept.begin()->first <= hold.high_us; kept.erase(kept.begin()))
        sum -= kept.begin()->second;
      const std::int64_t cost = std::min(hold.cost, limit_);
      gone += hold.cost - cost;
      if (cost == 0 || !hold.is_certain()) continue;
      kept[hold.from_us] += cost;
      for (sum += cost; sum > limit_;) {
        const auto last = std::prev(kept.end());
        const std::int64_t units = std::min(last->second, sum - limit_);
        sum -= units;
        gone += units;
        if ((last->second -= units) == 0) kept.erase(last);
      }
    }
    return gone;
  }

  void decide(Figures& figures) const {
    if (figures.max_certain > limit_) {
      figures.excess_certain = std::max<std::int64_t>(figures.excess_certain, 1);
      figures.over_admission = OverAdmission::certain;
      figures.proof = Proof::containment;
    } else if (figures.max_possible > limit_) {
      figures.over_admission = OverAdmission::possible;
      figures.proof = Proof::undetermined;
    }
  }

  std::vector<Opinion> denials() const {
    std::vector<Opinion> opinions(history_.denied.size(), Opinion::undecided);
    for (std::size_t i = 0; i < opinions.size(); ++i) {
      const Placement& denial = history_.denied[i];
      if (inside_.least(denial.low_us, denial.high_us) + denial.cost > limit_)
        opinions[i] = Opinion::right;
      else if (possible_.most(denial.low_us, denial.high_us) + denial.cost <= limit_)
        opinions[i] = Opinion::wrong;
    }
    if (!options_.fresh) excuse_unseen(history_.denied, lease_.verifiable_from(history_), opinions);
    return opinions;
  }

  std::vector<Opinion> admissions() const {
    std::vector<Opinion> opinions(holds_.size(), Opinion::undecided);
    for (std::size_t i = 0; i < opinions.size(); ++i) {
      const Hold& hold = holds_[i];
      // At each of these instants the hold itself is one of those that are possible.
      if (possible_.most(hold.low_us, hold.high_us) <= limit_)
        opinions[i] = Opinion::right;
      else if (inside_.least(hold.low_us, hold.high_us) + hold.cost > limit_)
        opinions[i] = Opinion::wrong;
    }
    return opinions;
  }

  const History& history_;
  std::int64_t limit_;
  const JudgeOptions& options_;
  Lease lease_;
  std::vector<Hold> holds_;
  Depth possible_;
  Depth certain_;
  Depth inside_;
};

}  // namespace

RuleOpinion judge_in_flight(const History& history, const Rule& rule, const JudgeOptions& options) {
  return InFlight(history, rule, options).judge();
}

}  // namespace rlctl
