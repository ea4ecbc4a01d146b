// Is there a placement that keeps the contract? This is a scheduling problem: each admission is a
// job that must start in [release, deadline] and holds its place until it leaves the window. At
// most L places (for a bucket: tokens) are taken at once.
//
// Earliest deadline first (EDF): go through the slots (the 1st, 2nd … start in time). Slot k's time
// is the earliest that the pace and the releases allow. Of the jobs released by then, the one with
// the earliest deadline starts. If no job is late, the starts are a witness. If the job X of slot k
// is late, EDF may have started a job too early: a job that had time to wait may have taken a slot
// just before the urgent jobs were released. So look back for the last slot i < k whose job has a
// later deadline than X.
//   - There is none: the k jobs so far must all start by X's deadline, but the earliest time of the
//     k-th start is after it. No placement exists.
//   - Otherwise, all slots i+1 … k hold jobs that must start by X's deadline and that were released
//     after slot i's time (or EDF would have taken one of them for slot i). Let r be the least of
//     these releases. In every feasible schedule slot i starts at r or later: otherwise its first i
//     slots hold none of these k-i jobs, so the last of them takes slot k or a later one, which is
//     too late. Add a barrier, "slot i not before r", and continue from slot i.
// It terminates, because barriers only rise, and only to releases. It is exact, because slot times
// do not depend on which job takes which slot. This is Simons' algorithm ("Multiprocessor
// scheduling of unit-time jobs with arbitrary release times and deadlines", SIAM J. Comput. 12,
// 1983). Its proof needs only one property of the machines: an earlier start never delays a later
// one. So it is valid for sliding and aligned windows and for buckets, for any number of jobs.
//
// Jobs of cost c start c units at one instant. Divided into single units they are an easier
// problem: if the units have no schedule, the jobs have none. If the units have a schedule that
// keeps each job together, it is a witness. Otherwise try EDF on whole jobs, then, for few jobs,
// all orders.
//
// A Pace is a stack of starts in time: earliest(cost) for the next one, push(start, cost), pop().
// Pure; one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace rlctl {

template <class Time>
struct Job {
  Time release;
  Time deadline;
  std::int64_t cost;
};

enum class Schedulable : std::uint8_t { yes, no, undetermined };

struct ScheduleBudget {
  std::int64_t units = 5'000'000;   // admissions, each cost counted
  std::int64_t steps = 20'000'000;  // slots filled or visited while looking back
  std::size_t jobs_in_any_order = 12;
  std::int64_t orders = 100'000;
};

template <class Time, class Pace>
class Scheduler {
 public:
  Scheduler(std::vector<Job<Time>> jobs, Pace pace, ScheduleBudget budget = {})
      : jobs_(std::move(jobs)), pace_(std::move(pace)), budget_(budget) {
    std::sort(jobs_.begin(), jobs_.end(), [](const Job<Time>& a, const Job<Time>& b) {
      return a.release != b.release ? a.release < b.release : a.deadline < b.deadline;
    });
  }

  Schedulable run() {
    std::int64_t units = 0;
    for (const Job<Time>& job : jobs_) units += job.cost;
    if (units > budget_.units) return Schedulable::undetermined;
    const bool single =
        std::all_of(jobs_.begin(), jobs_.end(), [](const Job<Time>& job) { return job.cost == 1; });
    std::vector<Job<Time>> whole;
    if (!single) {
      whole = jobs_;
      cut_into_units();
    }
    const Schedulable unit_answer = schedule_units();
    if (single || unit_answer == Schedulable::no) return unit_answer;
    jobs_ = std::move(whole);
    clear();
    if (whole_jobs_by_deadline()) return Schedulable::yes;
    if (jobs_.size() > budget_.jobs_in_any_order) return Schedulable::undetermined;
    clear();
    orders_left_ = budget_.orders;
    std::vector<bool> started(jobs_.size(), false);
    return any_order(started, 0);
  }

  // After a yes: the starts in time, and the pace after them. Single units start as early as any
  // schedule has so many.
  const std::vector<Time>& starts() const { return starts_; }
  const Pace& pace() const { return pace_; }

 private:
  using Index = std::size_t;

  void cut_into_units() {
    std::vector<Job<Time>> units;
    for (const Job<Time>& job : jobs_) {
      units.insert(units.end(), static_cast<std::size_t>(job.cost), {job.release, job.deadline, 1});
    }
    jobs_ = std::move(units);
  }

  void clear() {
    for (; !starts_.empty(); starts_.pop_back()) pace_.pop();
    slots_.clear();
    ready_.clear();
    released_ = 0;
  }

  // Heap order of ready_: the earliest deadline on top.
  bool later_deadline(Index a, Index b) const { return jobs_[a].deadline > jobs_[b].deadline; }
  auto heap_order() const {
    return [this](Index a, Index b) { return later_deadline(a, b); };
  }
  void push_ready(Index job) {
    ready_.push_back(job);
    std::push_heap(ready_.begin(), ready_.end(), heap_order());
  }
  void pop_ready() {
    std::pop_heap(ready_.begin(), ready_.end(), heap_order());
    ready_.pop_back();
  }
  void release_until(Time t) {
    while (released_ < jobs_.size() && jobs_[released_].release <= t) push_ready(released_++);
  }

  struct Slot {
    Index job;
    Index released_before;  // how many jobs were released when the slot was reached
  };

  void start(Index job, Time t) {
    pace_.push(t, jobs_[job].cost);
    starts_.push_back(t);
  }

  // The earliest time of the next slot that pace, order and releases allow.
  Time next_time(std::int64_t cost) const {
    Time t = pace_.earliest(cost);
    if (!starts_.empty()) t = std::max(t, starts_.back());
    if (ready_.empty()) t = std::max(t, jobs_[released_].release);
    return t;
  }

  Schedulable schedule_units() {
    has_barrier_.assign(jobs_.size(), false);
    barriers_.assign(jobs_.size(), Time{});
    std::int64_t steps = budget_.steps;
    while (slots_.size() < jobs_.size()) {
      if (--steps < 0) return Schedulable::undetermined;
      const Index slot = slots_.size();
      const Index released_before = released_;
      Time t = next_time(1);
      if (has_barrier_[slot]) t = std::max(t, barriers_[slot]);
      release_until(t);
      const Index job = ready_.front();
      if (jobs_[job].deadline >= t) {
        pop_ready();
        slots_.push_back({job, released_before});
        start(job, t);
      } else if (!raise_barrier(job, steps)) {
        return Schedulable::no;
      }
    }
    return Schedulable::yes;
  }

  // False if no earlier job could have started later: then `late` proves that there is no schedule.
  bool raise_barrier(Index late, std::int64_t& steps) {
    Time release = jobs_[late].release;
    Index slot = slots_.size();
    while (slot-- > 0) {
      --steps;
      const Job<Time>& job = jobs_[slots_[slot].job];
      if (job.deadline > jobs_[late].deadline) break;
      release = std::min(release, job.release);
    }
    if (slot == static_cast<Index>(-1)) return false;
    has_barrier_[slot] = true;
    barriers_[slot] = release;
    return_to(slot);
    return true;
  }

  // Undoes everything from `slot` on.
  void return_to(Index slot) {
    released_ = slots_[slot].released_before;
    std::vector<Index> ready;
    for (const Index job : ready_) {
      if (job < released_) ready.push_back(job);
    }
    for (; slots_.size() > slot; slots_.pop_back()) {
      if (slots_.back().job < released_) ready.push_back(slots_.back().job);
      starts_.pop_back();
      pace_.pop();
    }
    ready_ = std::move(ready);
    std::make_heap(ready_.begin(), ready_.end(), heap_order());
  }

  Time time_of_front() const {
    const Job<Time>& job = jobs_[ready_.front()];
    return std::max(next_time(job.cost), job.release);
  }

  bool whole_jobs_by_deadline() {
    for (Index started = 0; started < jobs_.size(); ++started) {
      release_until(next_time(1));
      release_until(time_of_front());  // a more urgent job may be released meanwhile
      const Time t = time_of_front();
      const Index job = ready_.front();
      if (jobs_[job].deadline < t) return false;
      pop_ready();
      start(job, t);
    }
    return true;
  }

  // In every schedule, each start can move to its earliest time without changing the order. So it
  // is enough to try all orders.
  Schedulable any_order(std::vector<bool>& started, std::size_t count) {
    if (count == jobs_.size()) return Schedulable::yes;
    if (--orders_left_ < 0) return Schedulable::undetermined;
    for (Index job = 0; job < jobs_.size(); ++job) {
      if (started[job]) continue;
      Time t = std::max(pace_.earliest(jobs_[job].cost), jobs_[job].release);
      if (!starts_.empty()) t = std::max(t, starts_.back());
      if (jobs_[job].deadline < t) continue;
      started[job] = true;
      start(job, t);
      const Schedulable answer = any_order(started, count + 1);
      starts_.pop_back();
      pace_.pop();
      started[job] = false;
      if (answer != Schedulable::no) return answer;
    }
    return Schedulable::no;
  }

  std::vector<Job<Time>> jobs_;  // by release
  Pace pace_;
  ScheduleBudget budget_;
  std::vector<Slot> slots_;
  std::vector<Time> starts_;
  std::vector<Index> ready_;
  Index released_ = 0;
  std::vector<bool> has_barrier_;
  std::vector<Time> barriers_;
  std::int64_t orders_left_ = 0;
};

}  // namespace rlctl
