// When the next admission may start: the Paces of feasibility.h, one for each kind of rule. Each is
// a stack of the starts so far. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "verdict/algorithm/window_rule.h"
#include "verdict/bucket_fill.h"

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

// The virtual scheduling of GCRA (ITU-T I.371, annex A), times in 1 / limit µs: `full_at` is when
// the bucket would be full again.
class BucketPace {
 public:
  explicit BucketPace(const BucketRule& rule) : rule_(rule) {}

  Wide earliest(std::int64_t cost) const {
    const Wide lowest = -(static_cast<Wide>(1) << 120);
    if (full_at_.empty()) return lowest;
    return full_at_.back() - rule_.drops(rule_.capacity - cost) - rule_.refill(rule_.tolerance_us);
  }
  void push(Wide start, std::int64_t cost) {
    const Wide from = full_at_.empty() ? start : std::max(start, full_at_.back());
    full_at_.push_back(from + rule_.drops(cost));
  }
  void pop() { full_at_.pop_back(); }

 private:
  BucketRule rule_;
  std::vector<Wide> full_at_;
};

}  // namespace rlctl
