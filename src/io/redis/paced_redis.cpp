#include "io/redis/paced_redis.h"

#include <algorithm>

#include "io/clock.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLookAtSignalsUs = 100'000;

}  // namespace

void PacedRedis::account() {
  if (const std::int64_t busy_us = meter_.take_busy_us(); busy_us > 0)
    pacer_.add(now_us(), busy_us);
}

Task<bool> PacedRedis::turn() {
  account();
  while (now_us() < pacer_.next_us() && !loop_.interrupted()) {
    if (!std::exchange(has_waited_, true) && told_) told_();
    co_await loop_.until(std::min(pacer_.next_us(), now_us() + kLookAtSignalsUs));
  }
  co_return !loop_.interrupted();
}

}  // namespace rlctl
