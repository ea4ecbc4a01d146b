#include "verdict/order_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace rlctl {
namespace {

// The beginnings of the stretches, and the end of the last one. A stretch that is too large, and
// all after it, are left out.
std::vector<std::size_t> stretches_of(const Requests& requests, std::size_t most) {
  std::vector<std::size_t> begins{0};
  Instant end = DecisionSequence::kBegin;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i > begins.back() && requests[i].low > end) begins.push_back(i);
    if (i - begins.back() == most) return begins;
    end = std::max(end, requests[i].high);
  }
  if (begins.back() < requests.size()) begins.push_back(requests.size());
  return begins;
}

// After a swap, two that are held alike end as they did. If they differ, each keeps its own end;
// but a lease would then end later for the one that was decided later.
bool is_held_no_longer(const Tenure& a, const Tenure& b) {
  if (a.least != b.least || a.cost != b.cost) return false;
  if (a.leased) return a.from == b.from && a.to == b.to;
  return a.from <= b.from && a.to <= b.to;
}

class OrderSearch {
 public:
  OrderSearch(const Requests& requests, DecisionSequence& sequence, const OrderBudget& budget)
      : requests_(requests),
        sequence_(sequence),
        stretches_(stretches_of(requests, budget.stretch)),
        steps_(budget.steps + 2 * static_cast<std::int64_t>(requests.size())),
        decided_(requests.size(), false) {
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (requests[i].role == Role::unanswered) decides_both_ = decides_both_ || sequence.minds(i);
    for (std::size_t i = 0; i < stretches_.back(); ++i) left_ += is_answered(i);
  }

  Schedulable run() {
    const Schedulable found = search();
    const bool is_prefix = stretches_.back() < requests_.size();
    const bool unsure = (found == Schedulable::yes && is_prefix) ||
                        (found == Schedulable::no && sequence_.gave_up());
    return unsure ? Schedulable::undetermined : found;
  }

 private:
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  // Who is decided next, and how; kNobody: the next stretch begins.
  struct Candidate {
    std::size_t request = kNobody;
    Role role = Role::unanswered;
  };
  // One decision of the order, and what else could have been decided in its place. A level for
  // each, because an order may be as long as a log.
  struct Level {
    std::size_t stretch;             // in which the next decision may be
    std::vector<Candidate> untried;  // the next one last
    Candidate tried{};
    std::vector<Answer> answers{};  // to `tried`, the next one last
    bool decided = false;
    bool moved_on = false;
  };

  Schedulable search() {
    if (left_ == 0) return Schedulable::yes;
    open_level(0);
    while (!levels_.empty()) {
      if (!decide_next(levels_.back())) {
        levels_.pop_back();
        continue;
      }
      if (left_ == 0) return Schedulable::yes;
      if (--steps_ < 0) return Schedulable::undetermined;
      open_level(levels_.back().stretch);
    }
    return Schedulable::no;
  }

  void open_level(std::size_t stretch) {
    const auto is_over = [&] {
      const auto begin = decided_.begin();
      return std::find(begin + offset(stretch), begin + offset(stretch + 1), false) ==
             begin + offset(stretch + 1);
    };
    while (is_over()) ++stretch;
    levels_.push_back({stretch, candidates(stretch)});
  }

  std::ptrdiff_t offset(std::size_t stretch) const {
    return static_cast<std::ptrdiff_t>(stretches_[stretch]);
  }

  // An unanswered request may be decided after all answered ones of its stretch, or never.
  std::vector<Candidate> candidates(std::size_t stretch) const {
    const std::size_t begin = stretches_[stretch];
    const std::size_t end = stretches_[stretch + 1];
    std::optional<Instant> deadline;
    for (std::size_t i = begin; i < end; ++i) {
      if (decided_[i] || !is_answered(i)) continue;
      deadline = std::min(deadline.value_or(requests_[i].high), requests_[i].high);
      if (sequence_.now(i) > requests_[i].high) return {};
    }
    std::vector<Candidate> all;
    for (std::size_t i = end; i-- > begin;) {
      const bool too_late = deadline && requests_[i].low > *deadline;
      if (decided_[i] || too_late || must_wait(i, begin, end)) continue;
      if (is_answered(i)) {
        all.push_back({i, requests_[i].role});
        continue;
      }
      if (decides_both_) all.push_back({i, Role::denial});
      all.push_back({i, Role::admission});
    }
    if (!deadline) all.push_back({});
    return all;
  }

  // Another one like it, in the same lanes, begins and ends no later, and so does its work.
  bool must_wait(std::size_t i, std::size_t begin, std::size_t end) const {
    const Request& later = requests_[i];
    if (later.role == Role::unanswered) return false;
    for (std::size_t j = begin; j < end; ++j) {
      const Request& first = requests_[j];
      if (j == i || decided_[j] || first.role != later.role || first.cost != later.cost ||
          first.lanes != later.lanes || !is_held_no_longer(first.held, later.held))
        continue;
      if (first.low > later.low || first.high > later.high) continue;
      if (first.low < later.low || first.high < later.high || j < i) return true;
    }
    return false;
  }

  // Takes back the level's decision and makes the next one that is possible. False: none is left.
  bool decide_next(Level& level) {
    take_back(level);
    for (;;) {
      while (!level.answers.empty()) {
        const Answer answer = std::move(level.answers.back());
        level.answers.pop_back();
        level.decided = sequence_.add(level.tried.request, level.tried.role, answer);
        if (level.decided) return true;
      }
      if (level.tried.request != kNobody) mark(level.tried.request, false);
      level.tried = {};
      if (level.untried.empty()) return false;
      level.tried = level.untried.back();
      level.untried.pop_back();
      if (level.tried.request == kNobody) {
        level.moved_on = true;
        ++level.stretch;
        return true;
      }
      mark(level.tried.request, true);
      level.answers = answers_to(level.tried);
    }
  }

  void take_back(Level& level) {
    if (std::exchange(level.decided, false)) sequence_.undo();
    if (std::exchange(level.moved_on, false)) --level.stretch;
  }

  void mark(std::size_t request, bool decided) {
    decided_[request] = decided;
    if (is_answered(request)) left_ += decided ? -1 : 1;
  }

  // Of answers that change the rules alike, one whose bounds hold anyway leaves later decisions all
  // that the others leave them. The most likely one is last.
  std::vector<Answer> answers_to(const Candidate& candidate) const {
    std::vector<Answer> kept;
    for (Answer& answer : sequence_.answers(candidate.request, candidate.role)) {
      const auto is_alike = [&](const Answer& other) { return changes_alike(other, answer); };
      const bool needless = std::ranges::any_of(kept, [&](const Answer& other) {
        return is_alike(other) && sequence_.is_certain(other);
      });
      if (needless) continue;
      if (sequence_.is_certain(answer)) std::erase_if(kept, is_alike);
      kept.push_back(std::move(answer));
    }
    std::ranges::reverse(kept);
    return kept;
  }

  bool is_answered(std::size_t i) const { return requests_[i].role != Role::unanswered; }

  const Requests& requests_;
  DecisionSequence& sequence_;
  std::vector<std::size_t> stretches_;
  std::int64_t steps_;
  std::vector<bool> decided_;
  std::int64_t left_ = 0;  // answered requests of the stretches that are not decided
  bool decides_both_ = false;
  std::vector<Level> levels_;
};

}  // namespace

Schedulable search_orders(const Requests& requests, const Lanes& lanes, const JointFrame& frame,
                          const OrderBudget& budget) {
  DecisionSequence sequence(requests, lanes, frame);
  return OrderSearch(requests, sequence, budget).run();
}

}  // namespace rlctl
