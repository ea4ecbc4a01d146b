// Over-admission with known instants: an exploration's schedules, as it hands them to the judge.
#include "run/explore/known_instants.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/sort.h"
#include "tools/random_history.h"

namespace rlctl {
namespace {

Rule two_of(RuleKind kind) { return {.kind = kind, .limit = 2, .window_us = 60}; }

using Instants = std::vector<std::int64_t>;

bool breaks(RuleKind kind, const std::vector<Instants>& admitted, Instants others = {}) {
  for (const Instants& instants : admitted)
    others.insert(others.end(), instants.begin(), instants.end());
  sort_unique(others);
  return over_admits({admitted, others}, {two_of(kind)}, 0);
}

// The definitions of the rules, applied to exact instants in the simplest way.
using Times = std::vector<std::int64_t>;  // sorted

bool naive_sliding(const Times& times, const Rule& rule) {
  return std::ranges::all_of(times, [&](std::int64_t end) {
    return std::ranges::count_if(times, [&](std::int64_t t) {
             return t > end - rule.window_us && t <= end;
           }) <= rule.limit;
  });
}

bool naive_fixed(const Times& times, const Rule& rule) {
  return std::ranges::all_of(times, [&](std::int64_t one) {
    return std::ranges::count_if(times, [&](std::int64_t t) {
             return t / rule.window_us == one / rule.window_us;
           }) <= rule.limit;
  });
}

bool naive_bucket(const Times& times, const Rule& rule) {
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t j = i; j < times.size(); ++j)
      if (static_cast<std::int64_t>(j - i + 1) * rule.window_us >
          rule.capacity * rule.window_us + rule.limit * (times[j] - times[i]))
        return false;
  return true;
}

// One event after the other; a hit without an admission may open a window or not.
bool naive_first_hit(const std::vector<std::pair<std::int64_t, bool>>& events, std::size_t next,
                     std::int64_t ends, std::int64_t count, const Rule& rule) {
  if (next == events.size()) return true;
  const auto [t, admitted] = events[next];
  if (t < ends)
    return count + admitted <= rule.limit &&
           naive_first_hit(events, next + 1, ends, count + admitted, rule);
  if (!admitted && naive_first_hit(events, next + 1, ends, count, rule)) return true;
  return naive_first_hit(events, next + 1, t + rule.window_us, admitted, rule);
}

bool naive_keeps(Times times, const Times& hits, const Rule& rule) {
  std::ranges::sort(times);
  if (rule.kind == RuleKind::sliding) return naive_sliding(times, rule);
  if (rule.kind == RuleKind::fixed) return naive_fixed(times, rule);
  if (rule.kind == RuleKind::bucket) return naive_bucket(times, rule);
  std::vector<std::pair<std::int64_t, bool>> events;
  for (const std::int64_t t : hits) events.emplace_back(t, false);
  for (const std::int64_t t : times) events.emplace_back(t, true);
  std::ranges::stable_sort(events, {}, [](const auto& event) { return event.first; });
  return naive_first_hit(events, 0, INT64_MIN, 0, rule);
}

bool naive_breaks(const KnownInstants& known, std::size_t next, Times& chosen, const Rule& rule) {
  if (next == known.admitted.size()) return !naive_keeps(chosen, known.hits, rule);
  return std::ranges::all_of(known.admitted[next], [&](std::int64_t t) {
    chosen.push_back(t);
    const bool breaks = naive_breaks(known, next + 1, chosen, rule);
    chosen.pop_back();
    return breaks;
  });
}

KnownInstants random_instants(test::HistoryRandom& random) {
  KnownInstants known;
  const std::int64_t clients = random.between(1, 5);
  for (std::int64_t i = 0; i < clients; ++i) {
    Instants instants;
    for (std::int64_t left = random.between(1, 2); left > 0; --left)
      instants.push_back(10 * random.between(0, 9));
    sort_unique(instants);
    known.hits.insert(known.hits.end(), instants.begin(), instants.end());
    if (random.between(0, 3) > 0) known.admitted.push_back(std::move(instants));
  }
  sort_unique(known.hits);
  return known;
}

}  // namespace

TEST_CASE("known instants are judged as by the definitions of the rules") {
  int broken = 0;
  const std::int64_t histories = test::from_environment("RLCTL_HISTORIES", 4'000);
  for (std::int64_t seed = 0; seed < histories; ++seed) {
    test::HistoryRandom random(static_cast<std::uint64_t>(seed));
    const KnownInstants known = random_instants(random);
    for (const RuleKind kind :
         {RuleKind::sliding, RuleKind::fixed, RuleKind::first_hit, RuleKind::bucket}) {
      const Rule rule{.kind = kind,
                      .limit = random.between(1, 2),
                      .window_us = random.between(10, 50),
                      .capacity = random.between(1, 3)};
      Times chosen;
      const bool breaks = naive_breaks(known, 0, chosen, rule);
      CAPTURE(seed);
      CAPTURE(name_of(kind));
      REQUIRE(over_admits(known, {rule}, 0) == breaks);
      broken += breaks ? 1 : 0;
    }
  }
  CHECK(broken > histories / 4);
}

TEST_CASE("windows that a first hit opens are replayed, not estimated") {
  const auto first_hit = [](const std::vector<Instants>& admitted, const Instants& others = {}) {
    return breaks(RuleKind::first_hit, admitted, others);
  };
  CHECK(first_hit({{0}, {0}, {2}}));         // the key expired after 1 of 60
  CHECK_FALSE(first_hit({{0}, {0}, {60}}));  // the next window
  CHECK(first_hit({{0}, {60}, {60}, {119}}));
  CHECK_FALSE(first_hit({{0}, {60}, {60}, {120}}));
  CHECK_FALSE(first_hit({{0}, {59}, {61}, {61}}));  // twice the limit, around an edge
  // A client that was not admitted may have opened the first window, so that it ended at 60.
  CHECK(first_hit({{30}, {61}, {61}}));
  CHECK_FALSE(first_hit({{30}, {61}, {61}}, {0}));
}

TEST_CASE("a client is counted at one of its commands, and at no other time") {
  for (const RuleKind kind : {RuleKind::first_hit, RuleKind::sliding}) {
    CHECK_FALSE(breaks(kind, {{0}, {0}, {0, 60}}));
    CHECK(breaks(kind, {{0}, {0}, {0, 59}}));
    // Between 30 and 90 it sent nothing: with an interval, 60 would explain it.
    CHECK(breaks(kind, {{0}, {0}, {30, 119}, {90}, {90}}));
    CHECK_FALSE(breaks(kind, {{0}, {0}, {30, 60, 119}, {90}, {120}}));
  }
}

TEST_CASE("one choice must keep every rule") {
  const Rules rules{two_of(RuleKind::sliding), {.limit = 3, .window_us = 1'000}};
  CHECK_FALSE(over_admits({{{0}, {0}, {60}}, {0, 60}}, rules, 0));
  CHECK(over_admits({{{0}, {0}, {60}, {60}}, {0, 60}}, rules, 0));
}

}  // namespace rlctl
