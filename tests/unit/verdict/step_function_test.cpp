#include "verdict/algorithm/step_function.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "policy/rules_text.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;

struct Interval {
  std::int64_t from;
  std::int64_t to;
  std::int64_t amount;
};

std::int64_t depth_at(const std::vector<Interval>& intervals, std::int64_t t) {
  std::int64_t depth = 0;
  for (const Interval& one : intervals)
    if (one.from <= t && t < one.to) depth += one.amount;
  return depth;
}

class RandomIntervals {
 public:
  explicit RandomIntervals(std::uint32_t seed) : random_(seed) {}
  std::int64_t draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }
  std::vector<Interval> some() {
    std::vector<Interval> intervals;
    for (std::int64_t i = draw(30); i >= 0; --i) {
      const std::int64_t from = draw(50);
      const std::int64_t to = draw(8) == 0 ? kOpenEnd : from + draw(20);
      intervals.push_back({from, to, 1 + draw(3)});
    }
    return intervals;
  }

 private:
  static constexpr std::int64_t kOpenEnd = std::int64_t{1} << 61;
  std::mt19937 random_;
};

TEST_CASE("a depth in slices is the depth, whatever the slices are") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomIntervals random(seed);
    const std::vector<Interval> intervals = random.some();
    REQUIRE_FALSE(intervals.empty());
    DepthInSlices slices;
    for (const Interval& one : intervals) slices.add(one.from, one.to, one.amount);
    slices.sort();
    for (std::int64_t from = 0; from < 80; from += random.draw(10)) {
      const std::int64_t to = from + random.draw(30);
      const Depth& depth = slices.over(from, to);
      for (std::int64_t t = from; t <= to; ++t) {
        CHECK(depth.at(t) == depth_at(intervals, t));
        std::int64_t most = depth_at(intervals, from);
        std::int64_t least = most;
        for (std::int64_t u = from; u <= t; ++u) {
          most = std::max(most, depth_at(intervals, u));
          least = std::min(least, depth_at(intervals, u));
        }
        CHECK(depth.most(from, t) == most);
        CHECK(depth.least(from, t) == least);
      }
    }
  }
}

TEST_CASE("the largest depth needs no curve") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const std::vector<Interval> intervals = RandomIntervals(seed).some();
    DepthChanges changes;
    for (const Interval& one : intervals) changes.add(one.from, one.to, one.amount);
    changes.sort();
    std::int64_t most = 0;
    for (std::int64_t t = 0; t < 80; ++t) most = std::max(most, depth_at(intervals, t));
    CHECK(changes.most() == most);
  }
}

// 100 of 200 per second, but for every 9,973rd decision, in which it does the opposite.
struct Faulty {
  Log log;
  std::size_t wrong_denials = 0;
  std::size_t wrong_admissions = 0;
};

Faulty faulty_limiter(int decisions) {
  Faulty made;
  made.log.keys = {"k"};
  made.log.policy = policy_of(parse_rules("100/1s", "--policy"));
  std::deque<std::int64_t> admitted;
  for (int i = 0; i < decisions; ++i) {
    const std::int64_t at_us = 1'000'000 + std::int64_t{i} * 5'000;
    while (!admitted.empty() && admitted.front() <= at_us - 1'000'000) admitted.pop_front();
    const bool has_room = admitted.size() < 100;
    const bool allows = has_room != (i % 9'973 == 9'972);
    if (allows) admitted.push_back(at_us);
    made.wrong_denials += has_room && !allows ? 1 : 0;
    made.wrong_admissions += !has_room && allows ? 1 : 0;
    Record record;
    record.sent_us = record.received_us = at_us;
    record.outcome = allows ? Outcome::allowed : Outcome::denied;
    made.log.records.push_back(record);
  }
  return made;
}

TEST_CASE("decisions of a key with many slices are judged as those of the first one") {
  const Faulty made = faulty_limiter(300'000);
  JudgeOptions options;
  options.fresh = true;
  const Verdict verdict = judge(made.log, options);
  const Figures& totals = verdict.policy.totals;
  const auto wrong = static_cast<std::int64_t>(made.wrong_denials + made.wrong_admissions);
  CHECK(made.wrong_denials > 5);
  CHECK(made.wrong_admissions > 5);
  CHECK(totals.certain_false_denials.size() == made.wrong_denials);
  CHECK(totals.wrong == wrong);
  CHECK(totals.right == 300'000 - wrong);
}

}  // namespace
