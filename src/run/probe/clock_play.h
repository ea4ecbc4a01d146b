// Whose clock does a script follow? Denied, then asked by a client whose clock is so far ahead that
// everything should be forgotten: who follows the client's clock admits. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/words.h"
#include "run/probe/paced_limiter.h"

namespace rlctl {

enum class ClockOwner : std::uint8_t {
  unknown,  // there was room again too soon, or it gave no decision
  limiter,
  client
};
inline constexpr Word<ClockOwner> kClockOwnerWords[] = {{"unknown", ClockOwner::unknown},
                                                        {"limiter", ClockOwner::limiter},
                                                        {"client", ClockOwner::client}};
constexpr std::span<const Word<ClockOwner>> words_of(ClockOwner) { return kClockOwnerWords; }

// So many admissions fill it, at most; `ahead_us`: longer than it remembers anything.
struct ClockTrial {
  std::int64_t limit = 1;
  std::int64_t ahead_us = 0;
};
struct ClockFinding {
  ClockOwner owner = ClockOwner::unknown;
  std::int64_t requests = 0;
  bool is_undecided = false;  // the last request got no decision
};
Task<ClockFinding> whose_clock(PacedLimiter limiter, ClockTrial trial);

// For people, a line.
std::string clock_text(ClockOwner owner, std::int64_t ahead_us);

}  // namespace rlctl
