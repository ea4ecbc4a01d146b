#include "verdict/anchored_replay.h"

#include <algorithm>
#include <limits>

namespace rlctl {
namespace {

constexpr std::size_t kMostCourses = 1000;
constexpr std::int64_t kOlder = std::numeric_limits<std::int64_t>::min();

// One possible course of events so far, as the window that it opened last.
struct Course {
  std::int64_t anchor_us;  // kOlder: before the log began
  std::int64_t kept = 0;   // admissions, without those that drop_excess() took out
  std::int64_t seen = 0;   // all admissions
};

class Replayer {
 public:
  Replayer(const History& history, const AnchoredRule& rule) : history_(history), rule_(rule) {
    result_.admissions.assign(history.admitted.size(), Opinion::undecided);
    result_.denials.assign(history.denied.size(), Opinion::undecided);
    courses_.push_back({kOlder});
  }

  Replay run() {
    std::size_t denied = 0;
    for (std::size_t i = 0; i < history_.admitted.size(); ++i) {
      const Placement& p = history_.admitted[i];
      while (denied < history_.denied.size() && history_.denied[denied].low_us < p.low_us) {
        deny(denied++);
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
  bool may_last(const Course& course, std::int64_t t) const {
    if (course.anchor_us == kOlder) return rule_.older_until_us && t < *rule_.older_until_us;
    return t < course.anchor_us + rule_.window_us + rule_.tolerance_us;
  }
  bool may_have_ended(const Course& course, std::int64_t t) const {
    return course.anchor_us == kOlder ||
           t >= course.anchor_us + rule_.window_us - rule_.tolerance_us;
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
        next.push_back({course.anchor_us, course.kept + p.cost, course.seen + p.cost});
      }
      if (may_have_ended(course, p.low_us)) opens = true;
    }
    if (opens) {
      ++(p.cost <= rule_.limit ? room : no_room);
      next.push_back({p.low_us, p.cost, p.cost});
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
    result_.worst_window = {std::max(least->anchor_us, first), t, {}};
  }

  void deny(std::size_t i) {
    const Placement& p = history_.denied[i];
    bool may_be_full = p.cost > rule_.limit;
    bool may_have_room = false;
    for (const Course& course : courses_) {
      const bool full = course.seen + p.cost > rule_.limit;
      if (may_last(course, p.low_us) && full) may_be_full = true;
      if (may_have_ended(course, p.low_us) || !full) may_have_room = true;
    }
    if (p.cost > rule_.limit) may_have_room = false;
    if (!may_have_room) result_.denials[i] = Opinion::right;
    if (!may_be_full) result_.denials[i] = Opinion::wrong;
  }

  const History& history_;
  const AnchoredRule& rule_;
  std::vector<Course> courses_;
  Replay result_;
};

}  // namespace

Replay replay_anchored(const History& history, const AnchoredRule& rule) {
  return Replayer(history, rule).run();
}

}  // namespace rlctl
