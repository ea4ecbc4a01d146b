#include "io/redis/load_pacer.h"

#include <algorithm>
#include <cmath>

namespace rlctl {
namespace {

constexpr std::int64_t kSpanUs = 10'000'000;

}  // namespace

void LoadPacer::add(std::int64_t began_us, std::int64_t cost_us) {
  if (steps_.empty() && first_us_ == 0) first_us_ = began_us;
  steps_.push_back({began_us, cost_us});
  while (steps_.front().began_us <= began_us - kSpanUs) steps_.pop_front();
  // A step that began too early costs the same as the others: the debt adds up.
  paid_us_ =
      std::max(paid_us_, began_us) + std::llround(std::ceil(static_cast<double>(cost_us) / share_));
  cost_us_ += cost_us;
}

double LoadPacer::share_at(std::int64_t now_us) const {
  std::int64_t cost_us = 0;
  for (const Step& step : steps_)
    if (step.began_us > now_us - kSpanUs) cost_us += step.cost_us;
  const std::int64_t elapsed_us = std::min(kSpanUs, std::max(now_us, next_us()) - first_us_);
  if (elapsed_us <= 0) return 0;
  return static_cast<double>(cost_us) / static_cast<double>(elapsed_us);
}

}  // namespace rlctl
