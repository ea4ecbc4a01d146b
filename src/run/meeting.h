// Meeting: the threads of a run agree when a phase begins. Each tells when it could, and the latest
// of these times counts as soon as all have come. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace rlctl {

class Meeting {
 public:
  explicit Meeting(std::size_t threads = 1) : missing_(threads) {}

  // Once by each thread.
  void come(std::int64_t could_begin_us) {
    const std::lock_guard lock(mutex_);
    begin_us_ = std::max(begin_us_, could_begin_us);
    --missing_;
  }

  // Empty while somebody is missing.
  std::optional<std::int64_t> begin_us() const {
    const std::lock_guard lock(mutex_);
    return missing_ == 0 ? std::optional(begin_us_) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t missing_;
  std::int64_t begin_us_ = 0;
};

}  // namespace rlctl
