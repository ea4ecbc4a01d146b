#include "verdict/placement_search.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <utility>

namespace rlctl {
namespace {

class OrderSearch {
 public:
  OrderSearch(const Requests& requests, DecisionSequence& sequence, std::int64_t steps)
      : requests_(requests), sequence_(sequence), steps_(steps), decided_(requests.size(), false) {
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (requests[i].role == Role::unanswered) decides_both_ = decides_both_ || sequence.minds(i);
  }

  Schedulable run() {
    const Schedulable answer = next();
    const bool unsure = sequence_.gave_up() && answer == Schedulable::no;
    return unsure ? Schedulable::undetermined : answer;
  }

 private:
  Schedulable next() {
    std::optional<Instant> deadline;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (decided_[i] || requests_[i].role == Role::unanswered) continue;
      deadline = std::min(deadline.value_or(requests_[i].high), requests_[i].high);
    }
    if (!deadline) return Schedulable::yes;
    if (sequence_.now() > *deadline) return Schedulable::no;
    if (--steps_ < 0) return Schedulable::undetermined;
    return any_next(*deadline);
  }

  Schedulable any_next(Instant deadline) {
    Schedulable best = Schedulable::no;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (decided_[i] || requests_[i].low > deadline || must_wait(i)) continue;
      for (const Role role : roles(i)) {
        const Schedulable answer = decide(i, role);
        if (answer == Schedulable::yes) return answer;
        if (answer == Schedulable::undetermined) best = answer;
      }
    }
    return best;
  }

  std::vector<Role> roles(std::size_t i) const {
    if (requests_[i].role != Role::unanswered) return {requests_[i].role};
    if (!decides_both_) return {Role::admission};
    return {Role::admission, Role::denial};
  }

  // Another one like it begins and ends no later.
  bool must_wait(std::size_t i) const {
    const Request& later = requests_[i];
    if (later.role == Role::unanswered) return false;
    for (std::size_t j = 0; j < requests_.size(); ++j) {
      const Request& first = requests_[j];
      if (j == i || decided_[j] || first.role != later.role || first.cost != later.cost) continue;
      if (first.low > later.low || first.high > later.high) continue;
      if (first.low < later.low || first.high < later.high || j < i) return true;
    }
    return false;
  }

  Schedulable decide(std::size_t i, Role role) {
    Schedulable best = Schedulable::no;
    decided_[i] = true;
    for (const Answer& answer : sequence_.answers(i, role)) {
      if (!sequence_.add(i, role, answer)) continue;
      const Schedulable found = next();
      sequence_.undo();
      if (found == Schedulable::yes) return found;
      if (found == Schedulable::undetermined) best = found;
    }
    decided_[i] = false;
    return best;
  }

  const Requests& requests_;
  DecisionSequence& sequence_;
  std::int64_t steps_;
  std::vector<bool> decided_;
  bool decides_both_ = false;
};

// The requests of one role that are not decided yet: all of those that have begun, the most urgent
// first.
class Waiting {
 public:
  Waiting(const Requests& requests, std::vector<std::size_t> by_begin)
      : requests_(requests), by_begin_(std::move(by_begin)) {}

  bool empty() const { return begun_.empty() && next_ == by_begin_.size(); }
  void release(Instant until) {
    for (; next_ < by_begin_.size() && requests_[by_begin_[next_]].low <= until; ++next_)
      begun_.push({requests_[by_begin_[next_]].high, by_begin_[next_]});
  }
  // The most urgent one; the next that begins, if none has begun.
  std::size_t top() {
    if (begun_.empty()) release(requests_[by_begin_[next_]].low);
    return begun_.top().second;
  }
  void pop() { begun_.pop(); }

 private:
  using Urgency = std::pair<Instant, std::size_t>;  // deadline, request

  const Requests& requests_;
  std::vector<std::size_t> by_begin_;
  std::size_t next_ = 0;
  std::priority_queue<Urgency, std::vector<Urgency>, std::greater<>> begun_;
};

// One walk along the likely path.
class LikelyPath {
 public:
  LikelyPath(const Requests& requests, const std::vector<bool>& admitted,
             DecisionSequence& sequence, std::int64_t paths, std::int64_t& decisions)
      : requests_(requests),
        admitted_(admitted),
        sequence_(sequence),
        paths_left_(paths),
        barriers_left_(paths),
        decisions_left_(decisions) {
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (requests[i].role == Role::denial) ordered_ = ordered_ || sequence.minds(i);
  }

  bool run() {
    wait_for_all();
    while (!admissions_->empty() || !denials_->empty()) {
      if (--decisions_left_ < 0) return false;
      if (decide_next() || raise_barrier() || go_back()) continue;
      return false;
    }
    return true;
  }

  // The denial that could not be explained when the path ended first.
  std::optional<std::size_t> stuck() const { return stuck_; }

 private:
  struct Decision {
    std::size_t request;
    Role role;
    std::size_t entered;  // kOrdered: it is part of the order
    Answer answer;
  };
  struct Choice {
    std::size_t size;  // of the sequence before it
    bool moved;        // what was chosen moved others, or the order was a guess
    std::vector<Decision> others;
  };
  static constexpr std::size_t kOrdered = static_cast<std::size_t>(-1);

  bool is_decided(std::size_t i) const { return decided_[i]; }

  void wait_for_all() {
    decided_.assign(requests_.size(), false);
    for (const Decision& decision : path_) decided_[decision.request] = true;
    std::vector<std::size_t> admissions;
    std::vector<std::size_t> denials;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (decided_[i]) continue;
      if (requests_[i].role == Role::denial) denials.push_back(i);
      if (requests_[i].role == Role::admission || admitted_[i]) admissions.push_back(i);
    }
    const auto by_low = [this](std::size_t a, std::size_t b) {
      return requests_[a].low < requests_[b].low;
    };
    std::ranges::stable_sort(admissions, by_low);
    std::ranges::stable_sort(denials, by_low);
    admissions_.emplace(requests_, std::move(admissions));
    denials_.emplace(requests_, std::move(denials));
    if (ordered_) return;
    // Hanging denials only need their deadlines.
    denials_->release(std::numeric_limits<Instant>::max());
  }

  // The next admission and its instant. A more urgent one may begin meanwhile.
  std::optional<std::pair<std::size_t, Instant>> next_admission() {
    std::size_t top = admissions_->top();
    for (;;) {
      const std::optional<Instant> at = sequence_.next_admission(top);
      if (!at) return {};
      const auto barrier = barriers_.find(slot());
      const Instant begin = barrier == barriers_.end() ? *at : std::max(*at, barrier->second);
      admissions_->release(begin);
      if (admissions_->top() == top) return std::pair(top, begin);
      top = admissions_->top();
    }
  }

  bool decide_next() {
    late_.reset();
    std::optional<std::pair<std::size_t, Instant>> admission;
    if (!admissions_->empty()) {
      admission = next_admission();
      const std::size_t top = admissions_->top();
      if (!admission || admission->second > requests_[top].high) {
        late_ = top;
        if (!ordered_ || !may_be_after_denials(top)) return false;
        admission.reset();
      }
    }
    if (!denials_->empty()) {
      if (ordered_) return decide_in_order(admission);
      const std::size_t denial = denials_->top();
      if (!admission || requests_[denial].high < admission->second) return hang(denial);
    }
    return admit(admission->first);
  }

  // Denials that come first may change what the admission finds.
  bool may_be_after_denials(std::size_t admission) {
    if (denials_->empty()) return false;
    denials_->release(requests_[admission].high);
    return requests_[denials_->top()].high <= requests_[admission].high;
  }

  bool decide_in_order(std::optional<std::pair<std::size_t, Instant>> admission) {
    if (admission) denials_->release(admission->second);
    const std::size_t denial = denials_->top();
    const bool begun = !admission || requests_[denial].low <= admission->second;
    if (!begun) return admit(admission->first);
    std::vector<Decision> all = decisions(denial, Role::denial, kOrdered);
    const bool free = !all.empty() && sequence_.shortfall(all.front().answer) == 0;
    const bool due = !admission || requests_[denial].high < admission->second;
    if (free || due) {
      if (take(std::move(all), *denials_)) return true;
      if (!stuck_) stuck_ = denial;
      if (due) return false;
    }
    return admit(admission->first);
  }

  bool admit(std::size_t request) {
    if (take(decisions(request, Role::admission, kOrdered), *admissions_)) return true;
    late_ = request;
    return false;
  }

  // After so many of the admissions so far the denial may come: as late as possible first. Then
  // before the windows that were opened since.
  std::vector<std::size_t> places_of(std::size_t denial) const {
    constexpr std::size_t kMostPlaces = 64;
    std::size_t entered = sequence_.entries();
    while (entered > 0 && sequence_.entry_at(entered - 1) > requests_[denial].high) --entered;
    std::vector<std::size_t> places;
    for (; places.size() < kMostPlaces; --entered) {
      places.push_back(entered);
      if (entered == 0 || sequence_.entry_at(entered - 1) <= requests_[denial].low) break;
    }
    for (int windows = 0; windows < 3; ++windows) {
      const std::size_t before = sequence_.opened_after(entered);
      if (before == entered) break;
      places.push_back(before);
      entered = before;
    }
    return places;
  }

  bool hang(std::size_t denial) {
    std::vector<std::pair<Instant, Decision>> ways;
    for (const std::size_t entered : places_of(denial)) {
      const Instant at = entered == 0 ? 0 : sequence_.entry_at(entered - 1);
      const Instant waited = std::max<Instant>(0, at - requests_[denial].low);
      for (Answer& answer : sequence_.answers_after(denial, entered)) {
        const Instant moved = sequence_.shortfall(answer) + waited;
        ways.push_back({moved, {denial, Role::denial, entered, std::move(answer)}});
      }
    }
    std::ranges::stable_sort(ways, {}, [](const auto& way) { return way.first; });
    std::vector<Decision> all;
    for (auto& way : ways) all.push_back(std::move(way.second));
    if (take(std::move(all), *denials_)) return true;
    if (!stuck_) stuck_ = denial;
    late_ = denial;
    return false;
  }

  std::vector<Decision> decisions(std::size_t request, Role role, std::size_t entered) const {
    std::vector<Decision> all;
    for (Answer& answer : sequence_.answers(request, role))
      all.push_back({request, role, entered, std::move(answer)});
    return all;
  }

  // Makes the first decision that is possible; the others may be tried later.
  bool take(std::vector<Decision> all, Waiting& waiting) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool moves = i > 0 || sequence_.shortfall(all[i].answer) > 0;
      if (!make(all[i])) continue;
      waiting.pop();
      const Decision made = all[i];
      all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (made.entered == kOrdered)
        std::erase_if(all, [&](const Decision& other) { return changes_alike(made, other); });
      if (!all.empty()) remember({sequence_.size() - 1, moves, std::move(all)});
      return true;
    }
    return false;
  }

  // What comes later cannot tell the two apart, but for their bounds.
  static bool changes_alike(const Decision& a, const Decision& b) {
    return std::ranges::equal(a.answer, b.answer, [](const Way& x, const Way& y) {
      return x.change == y.change && x.starts_block == y.starts_block;
    });
  }

  // Only the last choices are worth going back to.
  void remember(Choice choice) {
    constexpr std::size_t kMost = 1'000;
    if (choices_.size() == kMost) choices_.pop_front();
    choices_.push_back(std::move(choice));
  }

  bool make(const Decision& decision) {
    const bool made =
        decision.entered == kOrdered
            ? sequence_.add(decision.request, decision.role, decision.answer, barrier_at(decision))
            : sequence_.hang(decision.request, decision.entered, decision.answer);
    if (!made) return false;
    path_.push_back(decision);
    if (decision.role == Role::admission) ++slots_;
    return true;
  }

  // A denial or an admission came too late. An admission before it must have been decided later:
  // in its place in the order, nothing is decided before the barrier (feasibility.h).
  bool raise_barrier() {
    if (!late_ || barriers_left_-- <= 0) return false;
    const auto [place, least] =
        requests_[*late_].role == Role::denial ? place_to_move(*late_) : place_before(*late_);
    if (place == path_.size()) return false;
    return_to(place);
    Instant& barrier = barriers_.try_emplace(slot(), DecisionSequence::kBegin).first->second;
    if (least <= barrier) return false;
    barrier = least;
    return true;
  }

  // Of the admissions that could explain the denial, the one that moves least.
  std::pair<std::size_t, Instant> place_to_move(std::size_t denial) const {
    std::pair<std::size_t, Instant> best{path_.size(), 0};
    Instant least_moved = kLate;
    for (const std::size_t entered : places_of(denial))
      for (const Answer& answer : sequence_.answers_after(denial, entered))
        for (const Way& way : answer)
          for (std::size_t i = 0; i < way.count; ++i) {
            const Node moved = way.bounds[i].to;
            const Instant shortfall = sequence_.shortfall(answer);
            if (moved >= requests_.size() || moved == denial || shortfall >= least_moved) continue;
            least_moved = shortfall;
            best = {place_of(moved), sequence_.at(moved) + shortfall};
          }
    return best;
  }

  // Simons' barrier: the last admission that could have waited goes after the urgent ones.
  std::pair<std::size_t, Instant> place_before(std::size_t late) const {
    Instant release = requests_[late].low;
    for (std::size_t place = path_.size(); place-- > 0;) {
      const Request& request = requests_[path_[place].request];
      if (path_[place].role != Role::admission) continue;
      if (request.high > requests_[late].high) return {place, release};
      release = std::min(release, request.low);
    }
    return {path_.size(), 0};
  }

  std::size_t place_of(std::size_t request) const {
    const auto at = std::ranges::find(path_, request, &Decision::request);
    return static_cast<std::size_t>(at - path_.begin());
  }

  // How many admissions there are so far.
  std::size_t slot() const { return slots_; }
  Instant barrier_at(const Decision& decision) const {
    if (decision.role != Role::admission) return DecisionSequence::kBegin;
    const auto at = barriers_.find(slot());
    return at == barriers_.end() ? DecisionSequence::kBegin : at->second;
  }

  void return_to(std::size_t place) {
    while (path_.size() > place) undo_last();
    while (!choices_.empty() && choices_.back().size >= place) choices_.pop_back();
    decisions_left_ -= static_cast<std::int64_t>(requests_.size());
    wait_for_all();
  }

  void undo_last() {
    if (path_.back().role == Role::admission) --slots_;
    path_.pop_back();
    sequence_.undo();
  }

  // An admission that is late is not helped by choices made after what keeps it waiting.
  void forget_choices_after_obstacle() {
    if (!late_ || requests_[*late_].role == Role::denial) return;
    const Node obstacle = sequence_.obstacle_of(*late_);
    if (obstacle >= requests_.size()) return;
    const std::size_t place = place_of(obstacle);
    while (choices_.size() > 1 && choices_.back().size > place) choices_.pop_back();
  }

  bool go_back() {
    forget_choices_after_obstacle();
    while (!choices_.empty() && paths_left_-- > 0) {
      // What moved nothing did not make an admission late.
      const bool by_admission = late_ && requests_[*late_].role != Role::denial;
      const bool any_moved = std::ranges::any_of(choices_, &Choice::moved);
      while (by_admission && any_moved && !choices_.back().moved) choices_.pop_back();
      Choice& choice = choices_.back();
      while (path_.size() > choice.size) undo_last();
      const std::vector<Decision> others = std::move(choice.others);
      choices_.pop_back();
      for (std::size_t i = 0; i < others.size(); ++i) {
        if (!make(others[i])) continue;
        if (i + 1 < others.size())
          choices_.push_back({path_.size() - 1,
                              true,
                              {others.begin() + static_cast<std::ptrdiff_t>(i) + 1, others.end()}});
        decisions_left_ -= static_cast<std::int64_t>(requests_.size());
        wait_for_all();
        return true;
      }
    }
    return false;
  }

  static constexpr Instant kLate = std::numeric_limits<Instant>::max();

  const Requests& requests_;
  const std::vector<bool>& admitted_;  // unanswered requests that are taken as admitted
  DecisionSequence& sequence_;
  std::int64_t paths_left_;
  std::int64_t barriers_left_;
  std::int64_t& decisions_left_;
  bool ordered_ = false;  // some denial changes a rule's state
  std::vector<bool> decided_;
  std::optional<Waiting> admissions_;
  std::optional<Waiting> denials_;
  std::vector<Decision> path_;
  std::deque<Choice> choices_;
  std::optional<std::size_t> stuck_;
  std::optional<std::size_t> late_;          // the request that could not be decided now
  std::size_t slots_ = 0;                    // admissions so far
  std::map<std::size_t, Instant> barriers_;  // by slot
};

// The last unanswered request that may have been admitted before the denial.
std::optional<std::size_t> helper_of(const Request& denial, const Requests& requests,
                                     const std::vector<bool>& admitted) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].role != Role::unanswered || admitted[i] || requests[i].low > denial.high)
      continue;
    if (!best || requests[i].low > requests[*best].low) best = i;
  }
  return best;
}

// If a denial stays unexplained, one more unanswered request is taken as admitted before it.
bool likely_path(Requests requests, const Rules& rules, const JudgeOptions& options,
                 const JointFrame& frame, SearchBudget budget) {
  std::vector<bool> admitted(requests.size(), false);
  while (budget.decisions > 0) {
    DecisionSequence sequence(requests, rules, options, frame);
    const auto size = static_cast<std::int64_t>(requests.size());
    LikelyPath path(requests, admitted, sequence, budget.paths + size / 10, budget.decisions);
    if (path.run()) return true;
    if (!path.stuck()) return false;
    const Request& denial = requests[*path.stuck()];
    const std::optional<std::size_t> helper = helper_of(denial, requests, admitted);
    if (!helper) return false;
    admitted[*helper] = true;
    requests[*helper].high = std::min(requests[*helper].high, denial.high);
  }
  return false;
}

}  // namespace

Schedulable find_placement(const Requests& requests, const Rules& rules,
                           const JudgeOptions& options, const JointFrame& frame,
                           const SearchBudget& budget) {
  SearchBudget all = budget;
  all.decisions += 4 * static_cast<std::int64_t>(requests.size());
  if (likely_path(requests, rules, options, frame, all)) return Schedulable::yes;
  if (requests.size() > budget.all_orders) return Schedulable::undetermined;
  DecisionSequence sequence(requests, rules, options, frame);
  return OrderSearch(requests, sequence, budget.steps).run();
}

}  // namespace rlctl
