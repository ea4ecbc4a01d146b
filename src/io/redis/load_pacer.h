// LoadPacer limits how much of a server's time we use: GCRA, as of any other limiter. The caller
// reports the cost of each step; the pacer returns when the next step may begin, and the share used
// recently. Pure: the caller passes all times, in µs. Steps must come one after the other.
#pragma once

#include <cstdint>
#include <deque>

namespace rlctl {

// What short work may take at once: the share of so much time.
inline constexpr std::int64_t kLoadAheadUs = 60'000'000;

class LoadPacer {
 public:
  // `share`: of the server's time, above 0; 1 or more is never paced. `ahead_us`: in any time t,
  // the steps take at most share * (t + ahead_us), and one step.
  explicit LoadPacer(double share, std::int64_t ahead_us = 0)
      : share_(share), ahead_us_(ahead_us) {}

  // Reports a step: when it began, and the most time that it took on the server.
  void add(std::int64_t began_us, std::int64_t cost_us);

  // The earliest time at which the next step keeps the share.
  std::int64_t next_us() const { return share_ < 1 ? paid_us_ - ahead_us_ : 0; }

  double limit() const { return share_; }
  // The share of the last ten seconds that the steps took.
  double share_at(std::int64_t now_us) const;
  std::int64_t cost_us() const { return cost_us_; }  // of all steps

 private:
  struct Step {
    std::int64_t began_us = 0;
    std::int64_t cost_us = 0;
  };
  double share_;
  std::int64_t ahead_us_;
  std::int64_t first_us_ = 0;
  std::int64_t paid_us_ = 0;  // then the share has made up for all steps
  std::int64_t cost_us_ = 0;
  std::deque<Step> steps_;
};

}  // namespace rlctl
