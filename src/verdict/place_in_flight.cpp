#include "verdict/place_in_flight.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace rlctl {
namespace {

std::int64_t plus(std::int64_t at_us, std::int64_t length_us) {
  return at_us >= kOpenEnd || length_us >= kOpenEnd ? kOpenEnd : at_us + length_us;
}

// When a request is admitted that has room: when it must be, or when a denial needs it; or at once.
enum class Admit : std::uint8_t { late, early };

// Goes through the instants at which something may or must happen.
class LikelyPlacement {
 public:
  LikelyPlacement(const std::vector<HeldRange>& holds, const std::vector<Placement>& denials,
                  std::int64_t limit, Admit admit)
      : holds_(holds),
        denials_(denials),
        limit_(limit),
        admit_(admit),
        admitted_us_(holds.size(), 0) {
    for (std::size_t i = 0; i < holds.size(); ++i) arriving_.insert({holds[i].low_us, i});
    for (std::size_t i = 0; i < denials.size(); ++i) refused_.insert({denials[i].low_us, i});
  }

  bool succeeds() {
    for (std::int64_t now = next_instant(); now < kOpenEnd; now = next_instant())
      if (!pass(now)) return false;
    return true;
  }

 private:
  using Queue = std::set<std::pair<std::int64_t, std::size_t>>;

  static std::int64_t first(const Queue& queue) {
    return queue.empty() ? kOpenEnd : queue.begin()->first;
  }

  std::int64_t next_instant() const {
    return std::min(
        {first(arriving_), first(refused_), first(waiting_), first(unexplained_), first(ending_)});
  }

  // All that happens in this microsecond, in the best order.
  bool pass(std::int64_t now) {
    for (; first(arriving_) <= now; arriving_.erase(arriving_.begin())) {
      const std::size_t i = arriving_.begin()->second;
      (holds_[i].may_be_none ? spare_ : waiting_).insert({holds_[i].high_us, i});
    }
    for (; first(refused_) <= now; refused_.erase(refused_.begin())) {
      const std::size_t i = refused_.begin()->second;
      unexplained_.insert({denials_[i].high_us, i});
    }
    if (admit_ == Admit::early) admit_those_that_fit(now);
    explain();
    while (first(waiting_) <= now)
      if (!make_room_for(waiting_.begin()->second, now)) return false;
    while (first(unexplained_) <= now)
      if (!fill_for(denials_[unexplained_.begin()->second], now)) return false;
    // Whoever ends now can help to explain a denial for the last time.
    if (first(ending_) <= now && waiting_can_fill())
      fill_for(denials_[unexplained_.begin()->second], now);
    while (first(ending_) <= now) end(ending_.begin()->second);
    return true;
  }

  void admit_those_that_fit(std::int64_t now) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      const std::size_t i = at->second;
      if (held_ + holds_[i].cost > limit_) return;
      at = waiting_.erase(at);
      admit(i, now);
    }
  }

  void admit(std::size_t i, std::int64_t now) {
    held_ += holds_[i].cost;
    admitted_us_[i] = now;
    ending_.insert({latest_end(i), i});
  }

  void end(std::size_t i) {
    held_ -= holds_[i].cost;
    ending_.erase({latest_end(i), i});
  }

  std::int64_t latest_end(std::size_t i) const {
    return std::max(admitted_us_[i],
                    std::min(holds_[i].to_us, plus(admitted_us_[i], holds_[i].lease_to_us)));
  }
  std::int64_t earliest_end(std::size_t i) const {
    const std::int64_t end_us =
        std::max(holds_[i].from_us, plus(admitted_us_[i], holds_[i].least_us));
    return std::min(end_us, plus(admitted_us_[i], holds_[i].lease_from_us));
  }

  bool make_room_for(std::size_t i, std::int64_t now) {
    while (held_ + holds_[i].cost > limit_) {
      const auto gone = std::ranges::find_if(
          ending_, [&](const auto& one) { return earliest_end(one.second) <= now; });
      if (gone == ending_.end()) return false;
      end(gone->second);
    }
    waiting_.erase({holds_[i].high_us, i});
    admit(i, now);
    explain();
    return true;
  }

  // The waiting ones that found no room do not matter here: the slots are full.
  void explain() {
    std::erase_if(unexplained_,
                  [&](const auto& one) { return held_ + denials_[one.second].cost > limit_; });
  }

  bool waiting_can_fill() const {
    if (unexplained_.empty()) return false;
    std::int64_t all = held_ + denials_[unexplained_.begin()->second].cost;
    for (const auto& one : waiting_) all += holds_[one.second].cost;
    return all > limit_;
  }

  // Those who wait fill the slots, or else those who may never have been admitted.
  bool fill_for(const Placement& denial, std::int64_t now) {
    for (auto at = waiting_.begin(); at != waiting_.end() && held_ + denial.cost <= limit_;) {
      const std::size_t i = at->second;
      if (held_ + holds_[i].cost > limit_) {
        ++at;
        continue;
      }
      at = waiting_.erase(at);
      admit(i, now);
    }
    for (auto at = spare_.begin(); at != spare_.end() && held_ + denial.cost <= limit_;) {
      const std::size_t i = at->second;
      const bool fits = holds_[i].high_us >= now && held_ + holds_[i].cost <= limit_;
      if (!fits && holds_[i].high_us >= now) {
        ++at;
        continue;
      }
      at = spare_.erase(at);
      if (fits) admit(i, now);
    }
    const bool full = held_ + denial.cost > limit_;
    explain();
    return full;
  }

  const std::vector<HeldRange>& holds_;
  const std::vector<Placement>& denials_;
  std::int64_t limit_;
  Admit admit_;
  std::vector<std::int64_t> admitted_us_;
  std::int64_t held_ = 0;
  Queue arriving_;     // by the earliest decision
  Queue waiting_;      // by the latest decision
  Queue spare_;        // those who may never have been admitted
  Queue ending_;       // held, by the latest end
  Queue refused_;      // denials, by the earliest instant
  Queue unexplained_;  // by the latest instant
};

// An order can be moved to the earliest instants that it allows. Those are the instants at which a
// range begins, and what follows from them by the least and the longest time that work is held.
class AllOrders {
 public:
  AllOrders(const std::vector<HeldRange>& holds, const std::vector<Placement>& denials,
            std::int64_t limit)
      : holds_(holds), denials_(denials), limit_(limit) {
    find_instants();
  }

  Schedulable run() {
    if (holds_.size() + denials_.size() > kMost || instants_.size() > kMostInstants)
      return Schedulable::undetermined;
    if (try_from(0, State(holds_.size() + denials_.size(), kWaits))) return Schedulable::yes;
    return seen_.size() >= kStates ? Schedulable::undetermined : Schedulable::no;
  }

 private:
  static constexpr std::size_t kMost = 40;
  static constexpr std::size_t kMostInstants = 200;
  static constexpr std::size_t kStates = 20'000;

  // Of each hold and each denial: it waits, it is over, or the step at which it began.
  using State = std::vector<unsigned char>;
  static constexpr unsigned char kWaits = 255, kOver = 254;
  static_assert(kMostInstants < kOver);

  void find_instants() {
    std::set<std::int64_t> found;
    for (const HeldRange& hold : holds_) found.insert({hold.low_us, hold.from_us});
    for (const Placement& denial : denials_) found.insert(denial.low_us);
    std::set<std::int64_t> lengths;
    for (const HeldRange& hold : holds_)
      for (const std::int64_t us : {hold.least_us, hold.lease_from_us, hold.lease_to_us})
        if (us > 0 && us < kOpenEnd) lengths.insert({us, -us});
    const std::int64_t first_us = found.empty() ? 0 : *found.begin();
    std::int64_t last_us = found.empty() ? 0 : *found.rbegin();
    for (const HeldRange& hold : holds_)
      for (const std::int64_t us : {hold.high_us, hold.to_us})
        if (us < kOpenEnd) last_us = std::max(last_us, us);
    std::vector<std::int64_t> open(found.begin(), found.end());
    while (!open.empty() && found.size() <= kMostInstants) {
      const std::int64_t us = open.back();
      open.pop_back();
      for (const std::int64_t length_us : lengths) {
        const std::int64_t next_us = us + length_us;
        if (next_us < first_us || next_us > last_us || !found.insert(next_us).second) continue;
        open.push_back(next_us);
      }
    }
    instants_.assign(found.begin(), found.end());
  }

  bool is_held(unsigned char state) const { return state < kOver; }
  std::int64_t begun_us(unsigned char state) const { return instants_[state]; }

  std::int64_t earliest_end(std::size_t i, unsigned char state) const {
    const std::int64_t begun = begun_us(state);
    const std::int64_t end_us = std::max(holds_[i].from_us, begun + holds_[i].least_us);
    return std::min(end_us, plus(begun, holds_[i].lease_from_us));
  }
  std::int64_t latest_end(std::size_t i, unsigned char state) const {
    return std::min(holds_[i].to_us, plus(begun_us(state), holds_[i].lease_to_us));
  }

  std::int64_t held(const State& state) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < holds_.size(); ++i)
      if (is_held(state[i])) sum += holds_[i].cost;
    return sum;
  }

  // A denial is explained as soon as it can be: that never does harm.
  void explain(std::int64_t now, State& state) const {
    const std::int64_t sum = held(state);
    for (std::size_t i = 0; i < denials_.size(); ++i)
      if (denials_[i].low_us <= now && sum + denials_[i].cost > limit_)
        state[holds_.size() + i] = kOver;
  }

  bool may_pass(std::int64_t next_us, const State& state) const {
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      const bool waits = state[i] == kWaits && !holds_[i].may_be_none;
      if (waits && holds_[i].high_us < next_us) return false;
      if (is_held(state[i]) && latest_end(i, state[i]) < next_us) return false;
    }
    for (std::size_t i = 0; i < denials_.size(); ++i)
      if (state[holds_.size() + i] == kWaits && denials_[i].high_us < next_us) return false;
    return true;
  }

  bool try_from(std::size_t step, State state) {
    if (step == instants_.size()) return true;
    const std::int64_t now = instants_[step];
    explain(now, state);
    if (seen_.size() >= kStates || !seen_.insert({step, state}).second) return false;
    const std::int64_t next_us = step + 1 < instants_.size() ? instants_[step + 1] : kOpenEnd;
    if (may_pass(next_us, state) && try_from(step + 1, state)) return true;
    const std::int64_t sum = held(state);
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      const bool begins = state[i] == kWaits && holds_[i].low_us <= now &&
                          holds_[i].high_us >= now && sum + holds_[i].cost <= limit_;
      const bool ends = is_held(state[i]) && earliest_end(i, state[i]) <= now;
      if (!begins && !ends) continue;
      State changed = state;
      changed[i] = begins ? static_cast<unsigned char>(step) : kOver;
      if (try_from(step, std::move(changed))) return true;
    }
    return false;
  }

  const std::vector<HeldRange>& holds_;
  const std::vector<Placement>& denials_;
  std::int64_t limit_;
  std::vector<std::int64_t> instants_;
  std::set<std::pair<std::size_t, State>> seen_;
};

}  // namespace

Schedulable place_in_flight(const std::vector<HeldRange>& holds,
                            const std::vector<Placement>& denials, std::int64_t limit) {
  for (const Admit admit : {Admit::late, Admit::early})
    if (LikelyPlacement(holds, denials, limit, admit).succeeds()) return Schedulable::yes;
  return AllOrders(holds, denials, limit).run();
}

}  // namespace rlctl
