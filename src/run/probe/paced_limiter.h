// A limiter that is asked one request after another, no faster than a gap. Borrows the loop and the
// limiter. Times are µs. One thread.
#pragma once

#include <cstdint>

#include "io/loop.h"
#include "limiter/limiter.h"

namespace rlctl {

// False if it was interrupted (Ctrl-C).
Task<bool> sleep_until(Loop& loop, std::int64_t at_us);

// So many requests in a row without a decision: there is no limiter any more.
inline constexpr std::int64_t kMostLost = 5;

struct Answered {
  std::int64_t sent = 0;
  std::int64_t admitted = 0;
  std::int64_t denied = 0;
};

class PacedLimiter {
 public:
  PacedLimiter(Loop& loop, Limiter& limiter, const Attempt& attempt, std::int64_t gap_us)
      : loop_(loop), limiter_(limiter), attempt_(attempt), gap_us_(gap_us) {}

  Loop& loop() const { return loop_; }
  Task<Decision> ask();
  Task<Answered> ask(std::int64_t count);
  // True when it denies twice in a row; false also if it is gone. `limit`: so many admissions fill
  // it, at most.
  Task<bool> fill(std::int64_t limit);
  std::int64_t asked() const { return asked_; }
  // The last request got no decision; so did so many that it is gone.
  bool is_undecided() const { return lost_ > 0; }
  bool is_gone() const { return lost_ >= kMostLost; }
  void move_clock(std::int64_t offset_us) { attempt_.clock_offset_us = offset_us; }

 private:
  Loop& loop_;
  Limiter& limiter_;
  Attempt attempt_;
  std::int64_t gap_us_;
  std::int64_t asked_ = 0;
  std::int64_t lost_ = 0;  // in a row
};

}  // namespace rlctl
