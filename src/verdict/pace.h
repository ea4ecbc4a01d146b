// When the next admission may start: the Paces of feasibility.h, one for each kind of rule. Each is
// a stack of the starts so far. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "verdict/algorithm/window_rule.h"

namespace rlctl {

// At most `limit` admissions count at any instant: the next must wait for the end of the one that
// is `limit` units before it.
class WindowPace {
 public:
  WindowPace(const WindowRule& window, std::int64_t limit)
      : window_(window), limit_(static_cast<std::size_t>(limit)) {}

  std::int64_t earliest(std::int64_t cost) const {
    const std::size_t units = units_.size() + static_cast<std::size_t>(cost);
    if (units <= limit_) return std::numeric_limits<std::int64_t>::min();
    return window_.end(units_[units - limit_ - 1]);
  }
  void push(std::int64_t start, std::int64_t cost) {
    units_.insert(units_.end(), static_cast<std::size_t>(cost), start);
    costs_.push_back(static_cast<std::size_t>(cost));
  }
  void pop() {
    units_.resize(units_.size() - costs_.back());
    costs_.pop_back();
  }

 private:
  WindowRule window_;
  std::size_t limit_;
  std::vector<std::int64_t> units_;
  std::vector<std::size_t> costs_;
};

// A bucket in a unit of time in which a token takes whole ones.
template <class Time>
struct TokenBucket {
  Time token;  // the time in which one comes
  std::int64_t capacity;
  Time tolerance;

  // How long after a full bucket's last drop this cost fits: negative, if it fits at once.
  Time excess(std::int64_t cost) const { return token * (cost - capacity); }
};

// The virtual scheduling of GCRA (ITU-T I.371, annex A): `full_at` is when the bucket would be full
// again.
template <class Time>
class BucketPace {
 public:
  BucketPace(const TokenBucket<Time>& bucket, Time full_at) : bucket_(bucket), full_at_{full_at} {}

  Time earliest(std::int64_t cost) const {
    constexpr Time kNever = Time{1} << (8 * sizeof(Time) - 3);
    const Time excess = bucket_.excess(cost);
    return excess > bucket_.tolerance ? kNever : full_at_.back() + excess - bucket_.tolerance;
  }
  void push(Time start, std::int64_t cost) {
    full_at_.push_back(std::max(start, full_at_.back()) + bucket_.token * cost);
  }
  void pop() { full_at_.pop_back(); }

  // Before all starts, and after each.
  const std::vector<Time>& full_at() const { return full_at_; }

 private:
  TokenBucket<Time> bucket_;
  std::vector<Time> full_at_;
};

}  // namespace rlctl
