#include "verdict/judge_anchored.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "verdict/containment.h"
#include "verdict/judge_windows.h"
#include "verdict/opinion.h"

namespace rlctl {
namespace {

AnchoredRule rule_of(const History& history, const Rule& contract, const JudgeOptions& options) {
  AnchoredRule rule{
      contract.limit, contract.window_us, options.tolerance_us, contract.block_us > 0, {}};
  if (!options.fresh) rule.log_begins_us = history.from_us;
  return rule;
}

void name_records(const History& history, WorstWindow& window) {
  for (const Placement& p : history.admitted) {
    if (p.low_us >= window.from_us && p.low_us <= window.to_us) window.records.push_back(p.record);
  }
}

void conclude(const Replay& replay, std::int64_t limit, Figures& figures) {
  if (!replay.explained) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = replay.max_certain > limit ? Proof::containment : Proof::schedule;
  } else if (replay.max_possible > limit) {
    figures.over_admission = OverAdmission::possible;
    figures.proof = Proof::witness;
  }
}

RuleOpinion judge_replay(const History& history, const Rule& contract, const JudgeOptions& options,
                         Replay replay) {
  Figures figures;
  figures.max_certain = replay.max_certain;
  figures.max_possible = replay.max_possible;
  figures.excess_certain = replay.excess;
  figures.worst_window = std::move(replay.worst_window);
  name_records(history, figures.worst_window);
  conclude(replay, contract.limit, figures);
  const DenialRule rule = denial_rule_of(history, contract, options);
  if (rule.block_us > 0) {
    explain_by_block(history, block_starts(history, replay.denials), rule.block_us, replay.denials);
  }
  excuse_unseen(history.denied, rule.verifiable_from_us, replay.denials);
  return {std::move(figures), std::move(replay.denials), std::move(replay.admissions)};
}

std::vector<Placement> placed_at(const std::vector<Placement>& placements, std::int64_t eighths) {
  std::vector<Placement> placed = placements;
  for (Placement& p : placed) {
    p.low_us = p.high_us = p.low_us + (p.high_us - p.low_us) / 8 * eighths;
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placement& a, const Placement& b) { return a.low_us < b.low_us; });
  return placed;
}

// Tries a few placements; true if one of them keeps the contract.
bool find_witness(const History& history, const Rule& contract, const AnchoredRule& rule) {
  const WindowRule sliding = WindowRule::sliding(contract.window_us, -rule.tolerance_us);
  if (schedule_windows(history.admitted, sliding, contract.limit) == Schedulable::yes) return true;
  for (const std::int64_t eighths : {0, 4, 8}) {
    History placed;
    placed.admitted = placed_at(history.admitted, eighths);
    const Replay replay = replay_anchored(placed, rule);
    if (replay.complete && replay.explained) return true;
  }
  return false;
}

std::vector<Opinion> only(std::vector<Opinion> opinions, Opinion kept) {
  for (Opinion& opinion : opinions) {
    if (opinion != kept) opinion = Opinion::undecided;
  }
  return opinions;
}

std::vector<Opinion> except(std::vector<Opinion> opinions, Opinion dropped) {
  for (Opinion& opinion : opinions) {
    if (opinion == dropped) opinion = Opinion::undecided;
  }
  return opinions;
}

// What certainly lies in the first window of a fresh key: it opened at the first hit, and nothing
// was decided before `from`.
Containment first_window(const History& history, const Rule& contract,
                         const JudgeOptions& options) {
  Containment first;
  if (!options.fresh || history.admitted.empty()) return first;
  std::int64_t from_us = std::numeric_limits<std::int64_t>::max();
  for (const auto* placements : {&history.admitted, &history.unknown, &history.denied})
    for (const Placement& p : *placements) from_us = std::min(from_us, p.low_us);
  first.window = {from_us, from_us, {}};
  for (const Placement& p : history.admitted) {
    if (p.high_us >= from_us + contract.window_us - options.tolerance_us) continue;
    first.count += p.cost;
    first.window.to_us = std::max(first.window.to_us, p.high_us);
    first.window.records.push_back(p.record);
  }
  return first;
}

RuleOpinion judge_any_anchor(const History& history, const Rule& contract,
                             const JudgeOptions& options) {
  const WindowRule sliding = rules_of(contract, options).admissions;
  const std::int64_t limit = contract.limit;
  Figures figures;
  Containment contained = most_certain(history.admitted, sliding, limit);
  for (const Placement& p : history.admitted) {
    if (p.cost > limit) figures.max_certain = std::max(figures.max_certain, p.cost);
  }
  figures.max_certain = std::max(figures.max_certain, (contained.count + 1) / 2);
  Containment first = first_window(history, contract, options);
  const std::int64_t first_excess = first.count - limit;
  if (first.count > figures.max_certain) {
    figures.max_certain = first.count;
    contained.window = std::move(first.window);
  }
  figures.max_possible = most_possible(history, sliding);
  figures.worst_window = std::move(contained.window);
  if (figures.max_certain > limit) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = Proof::containment;
    figures.excess_certain =
        std::max(least_excess(history.admitted, sliding, 2 * limit), first_excess);
  } else if (figures.max_possible > limit) {
    figures.over_admission = OverAdmission::possible;
    const bool found = find_witness(history, contract, rule_of(history, contract, options));
    figures.proof = found ? Proof::witness : Proof::undetermined;
  }
  const WindowRules rules = rules_of(contract, options);
  auto denials = judge_denials(history, rules.denials, denial_rule_of(history, contract, options));
  auto admissions = judge_admissions(history, sliding, limit, contract.counts_denied);
  return {std::move(figures), except(std::move(denials), Opinion::right),
          only(std::move(admissions), Opinion::right)};
}

constexpr std::size_t kMostCourses = 1000;
constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 4;

// One possible course of events so far, as the window that it opened last.
struct Course {
  // When it was opened. A request that the log does not show opened it somewhere between the two.
  std::int64_t from_us;
  std::int64_t to_us;
  std::int64_t kept = 0;  // admissions, without those that drop_excess() took out
  std::int64_t seen = 0;  // all admissions
};

class Replayer {
 public:
  Replayer(const History& history, const AnchoredRule& rule) : history_(history), rule_(rule) {
    result_.admissions.assign(history.admitted.size(), Opinion::undecided);
    result_.denials.assign(history.denied.size(), Opinion::undecided);
    explained_.assign(history.denied.size(), false);
    courses_.push_back({-kEver, rule_.log_begins_us.value_or(-kEver)});
  }

  Replay run() {
    std::size_t denied = 0;
    for (std::size_t i = 0; i < history_.admitted.size(); ++i) {
      const Placement& p = history_.admitted[i];
      while (denied < history_.denied.size() && history_.denied[denied].low_us < p.low_us) {
        deny(denied++);
      }
      // A denial in the same instant may have come before the admission.
      for (std::size_t tie = denied; tie < history_.denied.size(); ++tie) {
        if (history_.denied[tie].low_us > p.low_us) break;
        explain(tie);
      }
      admit(i);
      if (courses_.size() > kMostCourses) {
        result_.complete = false;
        return std::move(result_);
      }
    }
    while (denied < history_.denied.size()) deny(denied++);
    return std::move(result_);
  }

 private:
  std::int64_t shortest_us() const { return rule_.window_us - rule_.tolerance_us; }
  std::int64_t longest_us() const { return rule_.window_us + rule_.tolerance_us; }
  bool may_last(const Course& course, std::int64_t t) const {
    return t < course.to_us + longest_us();
  }
  bool may_have_ended(const Course& course, std::int64_t t) const {
    return t >= course.from_us + shortest_us();
  }

  // The window may have ended since the last admission, and a request that the log does not show
  // may have opened the one of this admission.
  std::optional<Course> in_unseen(std::size_t i) const {
    if (i == 0 || !rule_.log_begins_us) return {};
    const Placement& p = history_.admitted[i];
    Course unseen{kEver, std::min(p.low_us, *rule_.log_begins_us), p.cost, p.cost};
    for (const Course& course : courses_)
      unseen.from_us = std::min(unseen.from_us, course.from_us + shortest_us());
    unseen.from_us =
        std::max({unseen.from_us, history_.admitted[i - 1].low_us, p.low_us - longest_us() + 1});
    if (unseen.from_us > unseen.to_us) return {};
    return unseen;
  }

  void admit(std::size_t i) {
    const Placement& p = history_.admitted[i];
    std::vector<Course> next;
    bool opens = false;
    std::size_t room = 0;
    std::size_t no_room = 0;
    for (const Course& course : courses_) {
      if (may_last(course, p.low_us)) {
        ++(course.seen + p.cost <= rule_.limit ? room : no_room);
        const std::int64_t from_us = std::max(course.from_us, p.low_us - longest_us() + 1);
        next.push_back({from_us, std::min(course.to_us, p.low_us), course.kept + p.cost,
                        course.seen + p.cost});
      }
      if (may_have_ended(course, p.low_us)) opens = true;
    }
    if (opens) {
      ++(p.cost <= rule_.limit ? room : no_room);
      next.push_back({p.low_us, p.low_us, p.cost, p.cost});
    }
    if (const auto unseen = in_unseen(i)) {
      ++(p.cost <= rule_.limit ? room : no_room);
      next.push_back(*unseen);
    }
    if (no_room == 0) result_.admissions[i] = Opinion::right;
    if (room == 0) result_.admissions[i] = Opinion::wrong;
    courses_ = std::move(next);
    measure(p.low_us);
    drop_excess();
  }

  // Drops the courses above the limit. If all are above it, takes the least excess out of each
  // first, so that at least one course stays.
  void drop_excess() {
    const auto over = [this](const Course& c) { return c.kept > rule_.limit; };
    if (std::all_of(courses_.begin(), courses_.end(), over)) {
      result_.explained = false;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const Course& course : courses_) least = std::min(least, course.kept - rule_.limit);
      result_.excess += least;
      for (Course& course : courses_) course.kept -= least;
    }
    courses_.erase(std::remove_if(courses_.begin(), courses_.end(), over), courses_.end());
  }

  void measure(std::int64_t t) {
    const auto [least, most] =
        std::minmax_element(courses_.begin(), courses_.end(),
                            [](const Course& a, const Course& b) { return a.seen < b.seen; });
    result_.max_possible = std::max(result_.max_possible, most->seen);
    if (least->seen <= result_.max_certain) return;
    result_.max_certain = least->seen;
    const std::int64_t first = history_.admitted.front().low_us;
    result_.worst_window = {std::max(least->from_us, first), t, {}};
  }

  // Whether the window may be full now.
  void explain(std::size_t i) {
    const Placement& p = history_.denied[i];
    const auto may_be_full = [&](const Course& course) {
      return may_last(course, p.low_us) && course.seen + p.cost > rule_.limit;
    };
    if (p.cost > rule_.limit || std::ranges::any_of(courses_, may_be_full)) explained_[i] = true;
  }

  void deny(std::size_t i) {
    explain(i);
    const Placement& p = history_.denied[i];
    const auto may_have_room = [&](const Course& course) {
      return may_have_ended(course, p.low_us) || course.seen + p.cost <= rule_.limit;
    };
    if (p.cost > rule_.limit || std::ranges::none_of(courses_, may_have_room))
      result_.denials[i] = Opinion::right;
    if (!explained_[i]) result_.denials[i] = Opinion::wrong;
    if (may_open(p)) open_at(p.low_us);
  }

  // A first hit that was denied (its cost is above the limit, or the client was blocked) may open a
  // window, or not.
  bool may_open(const Placement& denial) const {
    return denial.cost > rule_.limit || rule_.may_block;
  }
  void open_at(std::int64_t at_us) {
    const auto ended = [&](const Course& course) { return may_have_ended(course, at_us); };
    if (std::ranges::any_of(courses_, ended)) courses_.push_back({at_us, at_us});
  }

  const History& history_;
  const AnchoredRule& rule_;
  std::vector<Course> courses_;
  std::vector<bool> explained_;  // one per history.denied
  Replay result_;
};

}  // namespace

namespace {

// The replay takes admissions of the same instant in one order. Of different costs, another order
// may be the one that fits.
bool has_one_order(const std::vector<Placement>& admitted) {
  return std::ranges::adjacent_find(admitted, [](const Placement& a, const Placement& b) {
           return a.low_us == b.low_us && a.cost != b.cost;
         }) == admitted.end();
}

}  // namespace

RuleOpinion judge_anchored(const History& history, const Rule& contract,
                           const JudgeOptions& options) {
  if (history.exact() && has_one_order(history.admitted) && !contract.counts_denied) {
    Replay replay = replay_anchored(history, rule_of(history, contract, options));
    if (replay.complete) return judge_replay(history, contract, options, std::move(replay));
  }
  return judge_any_anchor(history, contract, options);
}

Replay replay_anchored(const History& history, const AnchoredRule& rule) {
  return Replayer(history, rule).run();
}

}  // namespace rlctl
