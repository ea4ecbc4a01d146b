// LoadPacer: how often one may ask a server without taking more than a share of its time. Told what
// each step cost, it says when the next may begin, and what the share has been lately. Pure: times
// are given, µs. Expects steps one after the other.
#pragma once

#include <cstdint>
#include <deque>

namespace rlctl {

class LoadPacer {
 public:
  // `share`: of the server's time, above 0 and at most 1.
  explicit LoadPacer(double share) : share_(share) {}

  // A step that began then and took the server at most this long.
  void add(std::int64_t began_us, std::int64_t cost_us);

  // The earliest time at which the next step keeps the share.
  std::int64_t next_us() const { return next_us_; }

  double limit() const { return share_; }
  // What the steps of the last ten seconds took of them.
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
