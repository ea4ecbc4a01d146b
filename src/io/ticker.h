// Ticker: calls a function at an interval while the loop runs. Borrows the loop, owns its timer.
#pragma once

#include <cstdint>
#include <functional>

#include "io/loop.h"

namespace rlctl {

class Ticker {
 public:
  Ticker(Loop& loop, std::int64_t interval_us, std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::function<void()> tick_;
  event* timer_ = nullptr;
};

}  // namespace rlctl
