// A limiter for one client that admits a request whenever all rules have room at its instant: what
// it would have denied if every request had come at a known instant. Requests in ascending order.
// Pure; times are µs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/rule.h"

namespace rlctl {

class ExactLimiter {
 public:
  explicit ExactLimiter(const Rules& rules);
  ~ExactLimiter();

  // `end_us`: when the work on the request is over.
  bool admits(std::int64_t now_us, std::int64_t end_us, std::int64_t cost);

 private:
  class Track;
  std::vector<Track> tracks_;
};

}  // namespace rlctl
