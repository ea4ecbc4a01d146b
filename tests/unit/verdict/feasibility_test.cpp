// The scheduler against every order of a few jobs.
#include "verdict/algorithm/feasibility.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"

using namespace rlctl;

namespace {

using Time = std::int64_t;
using OneJob = Job<Time>;

// At most `places` units in any `window`: the unit k may start when unit k - places has left.
class Sliding {
 public:
  Sliding(std::int64_t places, Time window) : places_(places), window_(window) {}
  Time earliest(std::int64_t cost) const {
    const auto units = static_cast<std::int64_t>(starts_.size()) + cost;
    if (cost > places_) return kNever;
    return units <= places_ ? 0 : starts_[static_cast<std::size_t>(units - places_ - 1)] + window_;
  }
  void push(Time start, std::int64_t cost) {
    starts_.insert(starts_.end(), static_cast<std::size_t>(cost), start);
    costs_.push_back(cost);
  }
  void pop() {
    starts_.resize(starts_.size() - static_cast<std::size_t>(costs_.back()));
    costs_.pop_back();
  }

 private:
  static constexpr Time kNever = Time{1} << 60;
  std::int64_t places_;
  Time window_;
  std::vector<Time> starts_;
  std::vector<std::int64_t> costs_;
};

Schedulable answer(const std::vector<OneJob>& jobs, std::int64_t places, Time window,
                   ScheduleBudget budget = {}) {
  return Scheduler<Time, Sliding>(jobs, Sliding(places, window), budget).run();
}

// Tries all orders; in each one, every job starts as early as it may.
bool some_order_fits(std::vector<OneJob> jobs, std::int64_t places, Time window) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < jobs.size(); ++i) order.push_back(i);
  do {
    Sliding pace(places, window);
    Time last = 0;
    const bool fits = std::ranges::all_of(order, [&](std::size_t i) {
      last = std::max({last, jobs[i].release, pace.earliest(jobs[i].cost)});
      pace.push(last, jobs[i].cost);
      return last <= jobs[i].deadline;
    });
    if (fits) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

std::vector<OneJob> random_jobs(Random& random, std::int64_t most_cost) {
  std::vector<OneJob> jobs(2 + random.below(5));
  for (OneJob& job : jobs) {
    job.release = static_cast<Time>(random.below(30));
    job.deadline = job.release + static_cast<Time>(random.below(20));
    job.cost = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most_cost)));
  }
  return jobs;
}

std::string text_of(const std::vector<OneJob>& jobs) {
  std::string text;
  for (const OneJob& job : jobs)
    text += "[" + std::to_string(job.release) + "," + std::to_string(job.deadline) + "]x" +
            std::to_string(job.cost) + " ";
  return text;
}

}  // namespace

TEST_CASE("jobs at fixed instants have a schedule if no window holds too many") {
  CHECK(answer({}, 1, 10) == Schedulable::yes);
  CHECK(answer({{0, 0, 1}, {10, 10, 1}}, 1, 10) == Schedulable::yes);
  CHECK(answer({{0, 0, 1}, {9, 9, 1}}, 1, 10) == Schedulable::no);
  CHECK(answer({{0, 0, 1}, {9, 9, 1}}, 2, 10) == Schedulable::yes);
  CHECK(answer({{0, 0, 1}, {5, 5, 1}, {9, 9, 1}}, 2, 10) == Schedulable::no);
}

TEST_CASE("a job with time to wait gives way to an urgent one that is released later") {
  // By deadline the first starts at 0 and the urgent one is late; so it must wait.
  CHECK(answer({{0, 30, 1}, {5, 6, 1}}, 1, 10) == Schedulable::yes);
  CHECK(answer({{0, 14, 1}, {5, 6, 1}}, 1, 10) == Schedulable::no);
  CHECK(answer({{0, 40, 1}, {5, 6, 1}, {16, 17, 1}}, 1, 10) == Schedulable::yes);
}

TEST_CASE("a cost of c starts c units at one instant") {
  CHECK(answer({{0, 0, 2}, {0, 0, 1}}, 3, 10) == Schedulable::yes);
  CHECK(answer({{0, 0, 2}, {0, 0, 2}}, 3, 10) == Schedulable::no);
  CHECK(answer({{0, 0, 2}, {0, 10, 2}}, 3, 10) == Schedulable::yes);
  CHECK(answer({{0, 50, 4}}, 3, 10) == Schedulable::no);
}

TEST_CASE("as many units as jobs need not be single units") {
  // The job that costs nothing needs no room, and the other one needs both places.
  CHECK(answer({{0, 0, 2}, {0, 0, 0}}, 2, 10) == Schedulable::yes);
  CHECK(answer({{0, 0, 1}, {0, 0, 2}, {5, 5, 0}}, 2, 10) == Schedulable::no);
}

TEST_CASE("the scheduler agrees with a search over all orders") {
  int feasible = 0;
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Random random(seed);
    const auto places = static_cast<std::int64_t>(1 + random.below(3));
    const auto window = static_cast<Time>(1 + random.below(15));
    const std::vector<OneJob> jobs = random_jobs(random, seed % 3 == 0 ? places : 1);
    CAPTURE(seed);
    CAPTURE(text_of(jobs));
    const bool fits = some_order_fits(jobs, places, window);
    CHECK(answer(jobs, places, window) == (fits ? Schedulable::yes : Schedulable::no));
    ++(fits ? feasible : infeasible);
  }
  CHECK(feasible > 500);
  CHECK(infeasible > 500);
}

TEST_CASE("without enough budget the answer is not known, never wrong") {
  const std::vector<OneJob> jobs{{0, 30, 1}, {5, 6, 1}};
  CHECK(answer(jobs, 1, 10, {.units = 1}) == Schedulable::undetermined);
  CHECK(answer(jobs, 1, 10, {.steps = 2}) == Schedulable::undetermined);
  for (std::int64_t steps = 0; steps < 40; ++steps)
    CHECK(answer(jobs, 1, 10, {.steps = steps}) != Schedulable::no);
}
