// When an admission leaves the window: the only difference between sliding and fixed windows. Pure.
//
// An admission at x still counts at every t with x <= t < end(x). For a sliding window end(x) is x
// + W; for aligned windows it is the end of the window that holds x. end never decreases as x
// grows. The proofs in containment.h, step_function.h and feasibility.h need only this property,
// so they are valid for both kinds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/policy.h"
#include "verdict/algorithm/unanswered.h"

namespace rlctl {

class WindowRule {
 public:
  // `stretch_us` lengthens every window (denials, tolerance) or shortens it (admissions).
  static WindowRule sliding(std::int64_t window_us, std::int64_t stretch_us) {
    return WindowRule(window_us, 0, stretch_us, 0);
  }
  // `least_us`: so long an admission counts at least, even if the edge may have come earlier.
  static WindowRule aligned(std::int64_t window_us, std::int64_t phase_us, std::int64_t stretch_us,
                            std::int64_t least_us = 1) {
    return WindowRule(window_us, phase_us, stretch_us, least_us);
  }

  std::int64_t end(std::int64_t x) const {
    if (x >= kOpenEnd) return kOpenEnd;
    if (!is_aligned()) return x + window_us_ + stretch_us_;
    return std::max(start_of(x) + window_us_ + stretch_us_, x + least_us_);
  }

  // The least x that still counts at t: end(x) > t.
  std::int64_t earliest_counting_at(std::int64_t t) const {
    if (!is_aligned()) return t - window_us_ - stretch_us_ + 1;
    const std::int64_t after = t - window_us_ - stretch_us_;  // start_of(x) is later
    return std::min(start_of(after) + window_us_, t - least_us_ + 1);
  }

  bool is_aligned() const { return least_us_ > 0; }
  std::int64_t window_us() const { return window_us_; }

 private:
  WindowRule(std::int64_t window_us, std::int64_t phase_us, std::int64_t stretch_us,
             std::int64_t least_us)
      : window_us_(window_us), phase_us_(phase_us), stretch_us_(stretch_us), least_us_(least_us) {}

  std::int64_t start_of(std::int64_t x) const {
    const std::int64_t into = (x - phase_us_) % window_us_;
    return x - (into < 0 ? into + window_us_ : into);
  }

  std::int64_t window_us_;
  std::int64_t phase_us_;
  std::int64_t stretch_us_;
  std::int64_t least_us_;
};

// How long requests before the log may fill the rule: a window, or the time in which an empty
// bucket fills.
std::int64_t memory_us(const Rule& rule);

}  // namespace rlctl
