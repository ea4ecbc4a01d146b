// LoadPacer limits how much of a server's time we use. The caller reports the cost of each step;
// the pacer returns when the next step may begin, and the share used recently. Pure: the caller
// passes all times, in µs. Steps must come one after the other.
#pragma once

#include <cstdint>
#include <deque>

namespace rlctl {

class LoadPacer {
 public:
  // `share`: of the server's time, above 0 and at most 1.
  explicit LoadPacer(double share) : share_(share) {}

  // Reports a step: when it began, and the most time that it took on the server.
  void add(std::int64_t began_us, std::int64_t cost_us);

  // The earliest time at which the next step keeps the share.
  std::int64_t next_us() const { return next_us_; }

  double limit() const { return share_; }
  // The share of the last ten seconds that the steps took.
  double share_at(std::int64_t now_us) const;

 private:
  struct Step {
    std::int64_t began_us = 0;
    std::int64_t cost_us = 0;
  };
  double share_;
  std::int64_t first_us_ = 0;
  std::int64_t next_us_ = 0;
  std::deque<Step> steps_;
};

}  // namespace rlctl
