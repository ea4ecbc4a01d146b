#include "io/clock.h"

#include <time.h>

namespace rlctl {
namespace {

std::int64_t read_us(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace

std::int64_t now_us() {
  static const std::int64_t anchor_us = read_us(CLOCK_REALTIME) - read_us(CLOCK_MONOTONIC);
  return anchor_us + read_us(CLOCK_MONOTONIC);
}

std::int64_t process_cpu_us() { return read_us(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace rlctl
