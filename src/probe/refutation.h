// The first answer that a limiter cannot have given. Models of it follow the answers twice: once
// every decision is made when its request was sent, once when its answer came. A denial refutes it
// if both have room all the while, an admission if neither ever has.
//
// An answer without a decision (a failure, none in time) may have been counted or not, and either
// may explain what follows. Pure. O(n) of the answers.
#pragma once

#include <cstdint>
#include <span>

#include "log/record.h"
#include "probe/hypothesis.h"

namespace rlctl {

// How late a limiter may look at its clock: clocks are seldom finer than 1 ms, and timers of a busy
// machine fire late, up to a hundredth of a long window.
inline constexpr std::int64_t kMostLateUs = 20'000;
std::int64_t lateness_us(std::int64_t time_us);

// The first answer that this limiter cannot give; null: it can give them all.
struct Refutation {
  const Record* answer = nullptr;

  bool is_any() const { return answer != nullptr; }
  // It was denied where there was room; else it was admitted where there was none.
  bool is_too_short() const { return is_any() && answer->outcome == Outcome::denied; }
};
// `each_alone`: one undecided answer may have been counted, and the next one not. Otherwise windows
// that begin with a request are refuted sooner than they should be.
Refutation refutation_of(const Hypothesis& hypothesis, std::int64_t time_us,
                         std::span<const Record> answers, bool each_alone = true);

// How many of the answers it cannot give, if the others are what they are.
std::int64_t contradictions_of(const Hypothesis& hypothesis, std::int64_t time_us,
                               std::span<const Record> answers);

}  // namespace rlctl
