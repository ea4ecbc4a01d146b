// Numbers and UUIDs for the requests of a run, so that each can be a new one for its service. One
// thread.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "policy/request_text.h"

namespace rlctl {

class RequestNumbers {
 public:
  // Of several machines, each takes every `step`-th number, so that no two send the same.
  explicit RequestNumbers(std::int64_t first = 1, std::int64_t step = 1)
      : next_(first), step_(step) {}

  // Sets the words of one more request.
  void number(RequestValues& values) {
    values.request = std::exchange(next_, next_ + step_);
    values.uuid = uuid();
  }

 private:
  // RFC 9562, version 4.
  std::string uuid() {
    const std::uint64_t high = (random_() & ~0xF000ULL) | 0x4000ULL;
    const std::uint64_t low = (random_() & ~(3ULL << 62U)) | (2ULL << 62U);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFF,
                       high & 0xFFFF, low >> 48U, low & 0xFFFFFFFFFFFF);
  }

  std::int64_t next_;
  std::int64_t step_;
  // Not from the run's seed: a service may refuse a UUID that it has seen in an earlier run.
  std::mt19937_64 random_{std::random_device()()};
};

}  // namespace rlctl
