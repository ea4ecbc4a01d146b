// How many operations count at each instant: a step function, with its minimum and maximum over any
// range.
// Instants are whole numbers. Each interval is [from, to); the value is 0 where nothing was added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verdict/algorithm/range_max.h"

namespace rlctl {

// The changes of a depth, by time. O(n log n) to sort, or O(n) if they were added in the order of
// both their ends; 32 bytes an interval.
class DepthChanges {
 public:
  void add(std::int64_t from, std::int64_t to, std::int64_t amount);  // nothing if to <= from
  void sort();

  // After sort(): the largest value anywhere. O(n), and no memory.
  std::int64_t most() const;

  struct Change {
    std::int64_t at;
    std::int64_t by;
  };
  // The first changes that were not seen. A rise and a fall of one instant come together.
  struct Position {
    std::size_t rise = 0;
    std::size_t fall = 0;
  };
  // Sees all changes at `to` or earlier, and moves on.
  template <class See>
  void see_until(std::int64_t to, Position& position, See see) const {
    while (true) {
      const bool rises = position.rise < rises_.size() && rises_[position.rise].at <= to;
      const bool falls = position.fall < falls_.size() && falls_[position.fall].at <= to;
      if (!rises && !falls) return;
      const bool rise_is_next =
          rises && (!falls || rises_[position.rise].at < falls_[position.fall].at);
      see(rise_is_next ? rises_[position.rise++] : falls_[position.fall++]);
    }
  }

 private:
  std::vector<Change> rises_;
  std::vector<Change> falls_;
};

// Add the intervals, build once, then query: O(log n) per query, O(n) memory.
class Depth {
 public:
  void add(std::int64_t from, std::int64_t to, std::int64_t amount) {
    changes_.add(from, to, amount);
  }
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
  friend class DepthInSlices;
  void build_until(const DepthChanges& changes, DepthChanges::Position from, std::int64_t value,
                   std::int64_t to);
  std::size_t step_of(std::int64_t t) const;

  DepthChanges changes_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> values_;
  RangeMax<std::int64_t> highest_;
  RangeMax<std::int64_t> lowest_;  // of the negated values
};

// The same for questions that come in the order of time, slice by slice: only the steps of one
// slice are in memory, which take three times as much as the changes. Each answer depends only on
// the changes up to the end of its slice, so it is exact.
class DepthInSlices {
 public:
  void add(std::int64_t from, std::int64_t to, std::int64_t amount) {
    changes_.add(from, to, amount);
  }
  void sort() { changes_.sort(); }

  // The depth between `from` and `to`, until the next call. `from` is never less than before.
  const Depth& over(std::int64_t from, std::int64_t to);

 private:
  DepthChanges changes_;
  DepthChanges::Position seen_;  // what came before the slice
  std::int64_t value_ = 0;       // at its beginning
  Depth slice_;
};

}  // namespace rlctl
