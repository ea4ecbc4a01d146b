// "N in flight" tried literally: every order of decisions, ends and denials that the intervals
// allow. Shares no code with the judge. Only for a few operations at small times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "log/record.h"

namespace brute {

// Decided in [low, high], ended in [from, to] and at least `least` after the decision, at the
// latest `lease` after it.
struct Held {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t cost = 1;
  rlctl::Outcome outcome = rlctl::Outcome::allowed;
};

struct InFlightRule {
  std::int64_t limit = 0;
  std::int64_t lease = 0;  // 0: none
  std::int64_t least = 0;
  std::int64_t tolerance = 0;  // a lease may end so much sooner or later
  // Before that, holders from before the log explain any denial.
  std::int64_t unseen_until = 0;
};

inline constexpr std::int64_t kNever = 100;  // no instant of a history is as late

// Whether one order keeps the limit and, if asked, finds it reached at every denial.
bool some_order_keeps(const std::vector<Held>& operations, const InFlightRule& rule,
                      bool with_denials);

}  // namespace brute
