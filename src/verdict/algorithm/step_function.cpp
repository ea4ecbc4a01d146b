#include "verdict/algorithm/step_function.h"

#include <algorithm>
#include <limits>

#include "base/sort.h"

namespace rlctl {

void DepthChanges::add(std::int64_t from, std::int64_t to, std::int64_t amount) {
  if (to <= from) return;
  rises_.push_back({from, amount});
  falls_.push_back({to, -amount});
}

void DepthChanges::sort() {
  sort_unless_sorted(rises_, {}, &Change::at);
  sort_unless_sorted(falls_, {}, &Change::at);
}

// At one instant falls come first, so that no sum is above a value that there is.
std::int64_t DepthChanges::most() const {
  std::int64_t most = 0;
  std::int64_t value = 0;
  Position position;
  see_until(std::numeric_limits<std::int64_t>::max(), position, [&](const Change& change) {
    value += change.by;
    most = std::max(most, value);
  });
  return most;
}

void Depth::build() {
  changes_.sort();
  build_until(changes_, {}, 0, std::numeric_limits<std::int64_t>::max());
  changes_ = {};
}

void Depth::build_until(const DepthChanges& changes, DepthChanges::Position from,
                        std::int64_t value, std::int64_t to) {
  starts_.assign(1, std::numeric_limits<std::int64_t>::min());
  values_.assign(1, value);
  changes.see_until(to, from, [&](const DepthChanges::Change& change) {
    if (change.at != starts_.back()) {
      starts_.push_back(change.at);
      values_.push_back(values_.back());
    }
    values_.back() += change.by;
  });
  highest_.build(values_);
  std::vector<std::int64_t> negated(values_.size());
  std::transform(values_.begin(), values_.end(), negated.begin(), [](auto v) { return -v; });
  lowest_.build(negated);
}

const Depth& DepthInSlices::over(std::int64_t from, std::int64_t to) {
  changes_.see_until(from, seen_, [this](const auto& change) { value_ += change.by; });
  slice_.build_until(changes_, seen_, value_, to);
  return slice_;
}

std::size_t Depth::step_of(std::int64_t t) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), t);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::int64_t Depth::most(std::int64_t from, std::int64_t to) const {
  const std::size_t first = step_of(from);
  return from == to ? values_[first] : highest_.over(first, step_of(to));
}

std::int64_t Depth::least(std::int64_t from, std::int64_t to) const {
  const std::size_t first = step_of(from);
  return from == to ? values_[first] : -lowest_.over(first, step_of(to));
}

}  // namespace rlctl
