// How many operations count at each instant: a step function, with its minimum and maximum over any
// range.
// Add the intervals, build once, then query: O(n log n) to build, or O(n) if they were added in the
// order of both their ends; O(log n) per query, O(n) memory.
// Instants are whole numbers. Each interval is [from, to); the value is 0 where nothing was added.
#pragma once

#include <cstdint>
#include <vector>

#include "verdict/algorithm/range_max.h"

namespace rlctl {

class Depth {
 public:
  void add(std::int64_t from, std::int64_t to, std::int64_t amount);  // nothing if to <= from
  void build();

  std::int64_t at(std::int64_t t) const { return values_[step_of(t)]; }
  std::int64_t most(std::int64_t from, std::int64_t to) const;   // over the closed [from, to]
  std::int64_t least(std::int64_t from, std::int64_t to) const;  // over the closed [from, to]
  std::int64_t most() const { return highest_.over(0, values_.size() - 1); }

  // The steps: value(i) holds from start(i) to start(i + 1). Step 0 starts before everything.
  std::size_t steps() const { return values_.size(); }
  std::int64_t start(std::size_t step) const { return starts_[step]; }
  std::int64_t value(std::size_t step) const { return values_[step]; }

 private:
  struct Change {
    std::int64_t at;
    std::int64_t by;
  };
  std::size_t step_of(std::int64_t t) const;

  std::vector<Change> rises_;
  std::vector<Change> falls_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> values_;
  RangeMax<std::int64_t> highest_;
  RangeMax<std::int64_t> lowest_;  // of the negated values
};

}  // namespace rlctl
