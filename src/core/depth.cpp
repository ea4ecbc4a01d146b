#include "core/depth.h"

#include <algorithm>
#include <limits>

namespace rlctl {

void RangeMax::build(const std::vector<std::int64_t>& values) {
  size_ = values.size();
  tree_.assign(2 * size_, std::numeric_limits<std::int64_t>::min());
  std::copy(values.begin(), values.end(), tree_.begin() + static_cast<std::ptrdiff_t>(size_));
  for (std::size_t i = size_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
}

std::int64_t RangeMax::over(std::size_t first, std::size_t last) const {
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  std::size_t low = first + size_;
  std::size_t high = last + size_ + 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) best = std::max(best, tree_[low++]);
    if (high & 1) best = std::max(best, tree_[--high]);
  }
  return best;
}

void Depth::add(std::int64_t from, std::int64_t to, std::int64_t amount) {
  if (to <= from) return;
  changes_.push_back({from, amount});
  changes_.push_back({to, -amount});
}

void Depth::build() {
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  starts_.assign(1, std::numeric_limits<std::int64_t>::min());
  values_.assign(1, 0);
  for (const Change& change : changes_) {
    if (change.at != starts_.back()) {
      starts_.push_back(change.at);
      values_.push_back(values_.back());
    }
    values_.back() += change.by;
  }
  changes_ = {};
  highest_.build(values_);
  std::vector<std::int64_t> negated(values_.size());
  std::transform(values_.begin(), values_.end(), negated.begin(), [](auto v) { return -v; });
  lowest_.build(negated);
}

std::size_t Depth::step_of(std::int64_t t) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), t);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::int64_t Depth::most(std::int64_t from, std::int64_t to) const {
  return highest_.over(step_of(from), step_of(to));
}

std::int64_t Depth::least(std::int64_t from, std::int64_t to) const {
  return -lowest_.over(step_of(from), step_of(to));
}

}  // namespace rlctl
