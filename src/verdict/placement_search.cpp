#include "verdict/placement_search.h"

#include <algorithm>
#include <deque>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "verdict/bucket_placement.h"
#include "verdict/order_search.h"

namespace rlctl {
namespace {

// Some requests that are not decided yet: of those that have begun, the most urgent first.
class Waiting {
 public:
  Waiting(const Requests& requests, std::vector<bool> waits)
      : requests_(requests), waits_(std::move(waits)) {
    left_ = static_cast<std::size_t>(std::ranges::count(waits_, true));
  }

  bool empty() const { return left_ == 0; }
  void release(Instant until) {
    for (; next_ < requests_.size() && requests_[next_].low <= until; ++next_)
      if (waits_[next_]) begun_.insert({requests_[next_].high, next_});
  }
  // The most urgent one; the next that begins, if none has begun.
  std::size_t top() {
    while (begun_.empty()) release(requests_[next_].low);
    return begun_.begin()->second;
  }
  void take(std::size_t request) {
    begun_.erase({requests_[request].high, request});
    waits_[request] = false;
    --left_;
  }
  void give_back(std::size_t request) {
    waits_[request] = true;
    ++left_;
    if (request < next_) begun_.insert({requests_[request].high, request});
  }
  // As if only those had begun that begin before this one.
  void begin_again(std::size_t request) {
    next_ = std::min(next_, request);
    std::erase_if(begun_, [this](const Urgency& each) { return each.second >= next_; });
  }

 private:
  using Urgency = std::pair<Instant, std::size_t>;  // deadline, request

  const Requests& requests_;  // by their beginnings
  std::vector<bool> waits_;
  std::size_t left_ = 0;
  std::size_t next_ = 0;
  std::set<Urgency> begun_;
};

// How the place of a denial is chosen: where it moves others least. That it waits itself costs as
// much, or nothing, so that it may not be able to wait when others are moved later.
enum class Waits : std::uint8_t { cost, nothing };

// One walk along the likely path.
class LikelyPath {
 public:
  LikelyPath(const Requests& requests, const std::vector<bool>& admitted,
             DecisionSequence& sequence, Waits waiting, std::int64_t paths, std::int64_t& decisions)
      : requests_(requests),
        sequence_(sequence),
        waiting_(waiting),
        paths_left_(paths),
        barriers_left_(paths),
        decisions_left_(decisions),
        ordered_(orders_denials()),
        admissions_(requests, those([&](std::size_t i) {
                      return requests[i].role == Role::admission || admitted[i];
                    })),
        denials_(requests, those([&](std::size_t i) { return requests[i].role == Role::denial; })) {
    for (const Request& request : requests)
      if (request.role == Role::admission) deadlines_.push_back(request.high);
    std::ranges::sort(deadlines_);
  }

  bool run() {
    // Hanging denials only need their deadlines.
    if (!ordered_) denials_.release(kLate);
    while (!admissions_.empty() || !denials_.empty()) {
      if (--decisions_left_ < 0) return false;
      if (decide_next() || raise_barrier() || go_back()) continue;
      return false;
    }
    return true;
  }

  // The denial that could not be explained when the path ended first.
  std::optional<std::size_t> stuck() const { return stuck_; }
  // The place of some denial was chosen.
  bool chose() const { return chose_; }

 private:
  struct Decision {
    std::size_t request;
    Role role;
    std::optional<Place> place;  // of a denial that hangs; empty: it is part of the order
    Answer answer;
  };
  struct Choice {
    std::size_t size;  // of the path before it
    bool moved;        // what was chosen moved others, or the order was a guess
    std::vector<Decision> others;
  };
  // A place of the path, and the earliest instant at which an admission should come there.
  struct Delay {
    std::size_t place;
    Instant least;
  };
  static constexpr Instant kLate = std::numeric_limits<Instant>::max();

  // Some denial changes a rule's state.
  bool orders_denials() const {
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i].role == Role::denial && sequence_.minds(i)) return true;
    return false;
  }

  template <typename Wanted>
  std::vector<bool> those(Wanted wanted) const {
    std::vector<bool> all(requests_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = wanted(i);
    return all;
  }

  // The next admission and its instant. A more urgent one may begin meanwhile.
  std::optional<std::pair<std::size_t, Instant>> next_admission() {
    std::size_t top = admissions_.top();
    for (;;) {
      const std::optional<Instant> at = sequence_.next_admission(top);
      if (!at) return {};
      const Instant begin = std::max(*at, barrier(top));
      admissions_.release(begin);
      if (admissions_.top() == top) return std::pair(top, begin);
      top = admissions_.top();
    }
  }

  bool decide_next() {
    late_.reset();
    std::optional<std::pair<std::size_t, Instant>> admission;
    if (!admissions_.empty()) {
      admission = next_admission();
      const std::size_t top = admissions_.top();
      if (!admission || admission->second > requests_[top].high) {
        late_ = top;
        if (!ordered_ || !may_be_after_denials(top)) return false;
        admission.reset();
      }
    }
    if (!denials_.empty()) {
      if (ordered_) return decide_in_order(admission);
      const std::size_t denial = denials_.top();
      if (!admission || requests_[denial].high < admission->second) return hang(denial);
    }
    return admit(admission->first);
  }

  // Denials that come first may change what the admission finds.
  bool may_be_after_denials(std::size_t admission) {
    if (denials_.empty()) return false;
    denials_.release(requests_[admission].high);
    return requests_[denials_.top()].high <= requests_[admission].high;
  }

  bool decide_in_order(std::optional<std::pair<std::size_t, Instant>> admission) {
    if (admission) denials_.release(admission->second);
    const std::size_t denial = denials_.top();
    const bool begun = !admission || requests_[denial].low <= admission->second;
    if (!begun) return admit(admission->first);
    std::vector<Decision> all = decisions(denial, Role::denial);
    const bool free = !all.empty() && sequence_.shortfall(all.front().answer) == 0;
    const bool due = !admission || requests_[denial].high < admission->second;
    if (free || due) {
      if (take(std::move(all), denials_)) return true;
      if (due) return fail(denial);
    }
    return admit(admission->first);
  }

  bool admit(std::size_t request) {
    if (take(decisions(request, Role::admission), admissions_)) return true;
    late_ = request;
    return false;
  }

  bool fail(std::size_t denial) {
    if (!stuck_) stuck_ = denial;
    late_ = denial;
    return false;
  }

  // After so many of the admissions so far the denial may come: as late as possible first. Then
  // before the windows that were opened since.
  std::vector<Place> places_of(std::size_t denial) const {
    std::vector<Place> places;
    for (const std::uint32_t lane : sequence_.lanes_of(denial)) add_places(denial, lane, places);
    return places;
  }

  void add_places(std::size_t denial, std::uint32_t lane, std::vector<Place>& places) const {
    constexpr std::size_t kMostPlaces = 64;
    const auto entry_at = [&](std::size_t i) { return sequence_.entry_at(lane, i); };
    std::size_t entered = sequence_.entries(lane);
    if (ordered_) return places.push_back({lane, entered});
    while (entered > 0 && entry_at(entered - 1) > requests_[denial].high) --entered;
    for (std::size_t count = 0; count < kMostPlaces; ++count, --entered) {
      places.push_back({lane, entered});
      if (entered == 0 || entry_at(entered - 1) <= requests_[denial].low) break;
    }
    for (int windows = 0; windows < 3; ++windows) {
      const std::size_t before = sequence_.opened_after({lane, entered});
      if (before == entered) break;
      places.push_back({lane, before});
      entered = before;
    }
  }

  bool hang(std::size_t denial) {
    chose_ = true;
    constexpr std::ptrdiff_t kMostKept = 16;
    std::vector<std::pair<std::pair<Instant, Instant>, Decision>> ways;
    const auto cost_of = [](const auto& way) { return way.first.first; };
    for (const Place& place : places_of(denial) | std::views::reverse) {
      const Instant at = place.entered == 0 ? 0 : sequence_.entry_at(place.lane, place.entered - 1);
      const Instant waited = std::max<Instant>(0, at - sequence_.at(denial));
      if (std::ranges::count(ways, 0, cost_of) >= kMostKept) break;
      for (Answer& answer : sequence_.answers_to_deny(denial, place)) {
        const Instant moved = sequence_.shortfall(answer, static_cast<Node>(denial), waited);
        const Instant cost = waiting_ == Waits::cost ? moved + waited : moved;
        ways.push_back({{cost, waited}, {denial, Role::denial, place, std::move(answer)}});
      }
    }
    std::ranges::stable_sort(ways, {}, [](const auto& way) { return way.first; });
    decisions_left_ -= std::ssize(ways) / kMostKept;
    std::vector<Decision> all;
    for (auto& way : ways | std::views::take(kMostKept)) all.push_back(std::move(way.second));
    return take(std::move(all), denials_) || fail(denial);
  }

  std::vector<Decision> decisions(std::size_t request, Role role) const {
    std::vector<Decision> all;
    for (Answer& answer : sequence_.answers(request, role))
      all.push_back({request, role, {}, std::move(answer)});
    return all;
  }

  // Makes the first decision that is possible; the others may be tried later.
  bool take(std::vector<Decision> all, Waiting& waiting) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool moves = i > 0 || sequence_.shortfall(all[i].answer) > 0;
      if (!make(all[i])) continue;
      waiting.take(all[i].request);
      const Decision made = all[i];
      all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (!made.place)
        std::erase_if(
            all, [&](const Decision& other) { return changes_alike(made.answer, other.answer); });
      if (!all.empty()) remember({path_.size() - 1, moves, std::move(all)});
      return true;
    }
    return false;
  }

  // Only the last choices are worth going back to: those of some windows of a flood.
  void remember(Choice choice) {
    constexpr std::size_t kMost = 20'000;
    if (choices_.size() == kMost) choices_.pop_front();
    choices_.push_back(std::move(choice));
  }

  bool make(const Decision& decision) {
    const bool admits = decision.role == Role::admission;
    const Instant least = admits ? barrier(decision.request) : DecisionSequence::kBegin;
    const bool made = decision.place
                          ? sequence_.hang(decision.request, *decision.place, decision.answer)
                          : sequence_.add(decision.request, decision.role, decision.answer, least);
    if (!made) return false;
    path_.push_back(decision);
    if (admits) ++slot_;
    return true;
  }

  // A denial or an admission came too late. An admission before it must have been decided later:
  // in its place in the order, nothing is decided before the barrier (feasibility.h).
  bool raise_barrier() {
    if (!late_ || barriers_left_-- <= 0) return false;
    const bool denied = requests_[*late_].role == Role::denial;
    const std::optional<Delay> delay = denied ? delay_to_explain(*late_) : delay_before(*late_);
    if (!delay) return false;
    const std::size_t request = path_[delay->place].request;
    return_to(delay->place);
    Instant& barrier =
        barriers_.try_emplace(slot_of(request), DecisionSequence::kBegin).first->second;
    if (delay->least <= barrier) return false;
    barrier = delay->least;
    return true;
  }

  // Of the admissions that could explain the denial if they were later, the one that moves least.
  std::optional<Delay> delay_to_explain(std::size_t denial) const {
    std::optional<Delay> best;
    Instant least_moved = kLate;
    for (const Place& place : places_of(denial))
      for (const Wait& wait : sequence_.waits_for(denial, place)) {
        if (wait.node >= requests_.size() || requests_[wait.node].role == Role::denial) continue;
        const std::optional<std::size_t> at = place_that_waits(wait, place.lane);
        if (!at) continue;
        const Instant moved = wait.least - sequence_.at(path_[*at].request);
        if (moved <= 0 || moved >= least_moved) continue;
        least_moved = moved;
        best = Delay{*at, wait.least};
      }
    return best;
  }

  // Whose place may have the barrier. Where barriers are for requests, one that cannot wait so long
  // lets an earlier one of its lane come after it.
  std::optional<std::size_t> place_that_waits(const Wait& wait, std::uint32_t lane) const {
    constexpr std::size_t kMostTried = 256;
    std::size_t place = place_of(wait.node);
    if (requests_[wait.node].lanes.empty()) {
      if (must_be_admitted_before(wait.least) > slot_at(place)) return {};
      return place;
    }
    for (std::size_t tried = 0; tried < kMostTried; ++tried, --place) {
      const Request& request = requests_[path_[place].request];
      const bool admits = path_[place].role == Role::admission;
      if (admits && request.high >= wait.least && std::ranges::count(request.lanes, lane) > 0)
        return place;
      if (place == 0) break;
    }
    return {};
  }

  std::size_t must_be_admitted_before(Instant at) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(deadlines_, at) - deadlines_.begin());
  }

  // The number of admissions before a place of the path.
  std::size_t slot_at(std::size_t place) const {
    std::size_t slot = slot_;
    for (std::size_t i = place; i < path_.size(); ++i) slot -= path_[i].role == Role::admission;
    return slot;
  }

  // Simons' barrier: the last admission that could have waited goes after the urgent ones.
  std::optional<Delay> delay_before(std::size_t late) const {
    Instant release = requests_[late].low;
    for (std::size_t place = path_.size(); place-- > 0;) {
      const Request& request = requests_[path_[place].request];
      if (path_[place].role != Role::admission || !meet(path_[place].request, late)) continue;
      if (request.high > requests_[late].high) return Delay{place, release};
      release = std::min(release, request.low);
    }
    return {};
  }

  bool meet(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(sequence_.lanes_of(a), [&](std::uint32_t lane) {
      return std::ranges::count(sequence_.lanes_of(b), lane) > 0;
    });
  }

  std::size_t place_of(std::size_t request) const {
    const auto at = std::ranges::find(path_, request, &Decision::request);
    return static_cast<std::size_t>(at - path_.begin());
  }

  // What a barrier is for: the place in the order. With several lanes, a place there may be that of
  // a request of another lane, so that barriers are for requests.
  std::size_t slot_of(std::size_t request) const {
    return requests_[request].lanes.empty() ? slot_ : request;
  }

  // The request is not admitted before this, if it is the next one.
  Instant barrier(std::size_t request) const {
    const auto at = barriers_.find(slot_of(request));
    return at == barriers_.end() ? DecisionSequence::kBegin : at->second;
  }

  void return_to(std::size_t place) {
    std::size_t first = requests_.size();
    for (; path_.size() > place; undo_last()) first = std::min(first, path_.back().request);
    while (!choices_.empty() && choices_.back().size >= place) choices_.pop_back();
    admissions_.begin_again(first);
    if (ordered_) denials_.begin_again(first);
  }

  void undo_last() {
    const Decision& last = path_.back();
    const bool admits = last.role == Role::admission;
    (admits ? admissions_ : denials_).give_back(last.request);
    if (admits) --slot_;
    path_.pop_back();
    sequence_.undo();
  }

  // An admission that is late is not helped by choices made after what keeps it waiting.
  void forget_choices_after_obstacle() {
    if (!late_ || requests_[*late_].role == Role::denial) return;
    const auto [at, obstacle] = sequence_.obstacle_of(*late_);
    if (obstacle >= requests_.size()) return;
    const std::size_t place = place_of(obstacle);
    // A denial that opened the window did so too late by the difference.
    const Instant late = opens(path_[place]) ? at - requests_[*late_].high : 0;
    const Instant least = sequence_.at(obstacle) - late;
    const auto is_after = [&](const Choice& choice) {
      return choice.size > place || (late > 0 && sequence_.at(path_[choice.size].request) > least);
    };
    while (choices_.size() > 1 && is_after(choices_.back())) choices_.pop_back();
  }

  static bool opens(const Decision& decision) {
    return decision.role == Role::denial &&
           std::ranges::count(decision.answer, Change::open, &Way::change) > 0;
  }

  bool go_back() {
    forget_choices_after_obstacle();
    while (!choices_.empty() && paths_left_-- > 0) {
      // What moved nothing did not make an admission late.
      const bool by_admission = late_ && requests_[*late_].role != Role::denial;
      const bool any_moved = std::ranges::any_of(choices_, &Choice::moved);
      while (by_admission && any_moved && !choices_.back().moved) choices_.pop_back();
      const Choice choice = std::move(choices_.back());
      return_to(choice.size);
      if (choose(choice)) return true;
    }
    return false;
  }

  bool choose(const Choice& choice) {
    const std::size_t request = choice.others.front().request;
    const bool admits = choice.others.front().role == Role::admission;
    Waiting& waiting = admits ? admissions_ : denials_;
    waiting.release(requests_[request].low);
    return take(choice.others, waiting);
  }

  const Requests& requests_;
  DecisionSequence& sequence_;
  Waits waiting_;
  std::int64_t paths_left_;
  std::int64_t barriers_left_;
  std::int64_t& decisions_left_;
  bool ordered_;
  Waiting admissions_;  // and unanswered requests that are taken as admitted
  Waiting denials_;
  std::vector<Instant> deadlines_;  // of the admissions, sorted
  std::vector<Decision> path_;
  std::deque<Choice> choices_;
  bool chose_ = false;
  std::optional<std::size_t> stuck_;
  std::optional<std::size_t> late_;          // the request that could not be decided now
  std::size_t slot_ = 0;                     // admissions so far
  std::map<std::size_t, Instant> barriers_;  // by slot_of()
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

struct Walk {
  bool found = false;
  bool chose = false;  // the place of some denial, so that another preference may find more
};

// If a denial stays unexplained, one more unanswered request is taken as admitted before it.
Walk likely_path(Requests requests, const Lanes& lanes, JointFrame frame, Waits waiting,
                 SearchBudget budget) {
  frame.most_spans = 4;
  Walk walk;
  std::vector<bool> admitted(requests.size(), false);
  while (budget.decisions > 0) {
    DecisionSequence sequence(requests, lanes, frame);
    const auto size = static_cast<std::int64_t>(requests.size());
    LikelyPath path(requests, admitted, sequence, waiting, budget.paths + size / 10,
                    budget.decisions);
    walk.found = path.run();
    walk.chose = walk.chose || path.chose();
    if (walk.found || !path.stuck()) return walk;
    const Request& denial = requests[*path.stuck()];
    const std::optional<std::size_t> helper = helper_of(denial, requests, admitted);
    if (!helper) return walk;
    admitted[*helper] = true;
    requests[*helper].high = std::min(requests[*helper].high, denial.high);
  }
  return walk;
}

}  // namespace

Schedulable find_placement(const Requests& requests, const Lanes& lanes, const JointFrame& frame,
                           const SearchBudget& budget) {
  if (explained_early(requests, lanes, frame)) return Schedulable::yes;
  SearchBudget all = budget;
  all.decisions /= 2;
  all.decisions += 4 * static_cast<std::int64_t>(requests.size());
  for (const Waits waiting : {Waits::nothing, Waits::cost}) {
    const Walk walk = likely_path(requests, lanes, frame, waiting, all);
    if (walk.found) return Schedulable::yes;
    if (!walk.chose) break;
  }
  return search_orders(requests, lanes, frame);
}

}  // namespace rlctl
