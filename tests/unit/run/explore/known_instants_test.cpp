// Over-admission with known instants: an exploration's schedules, as it hands them to the judge.
#include "run/explore/known_instants.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace rlctl {
namespace {

Rule two_of(RuleKind kind) { return {.kind = kind, .limit = 2, .window_us = 60}; }

using Instants = std::vector<std::int64_t>;

bool breaks(RuleKind kind, const std::vector<Instants>& admitted, Instants others = {}) {
  for (const Instants& instants : admitted)
    others.insert(others.end(), instants.begin(), instants.end());
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return over_admits({admitted, others}, {two_of(kind)}, 0);
}

}  // namespace

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
