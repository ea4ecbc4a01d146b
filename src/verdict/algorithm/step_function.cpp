#include "verdict/algorithm/step_function.h"

#include <algorithm>
#include <limits>

#include "base/sort.h"

namespace rlctl {

void Depth::add(std::int64_t from, std::int64_t to, std::int64_t amount) {
  if (to <= from) return;
  rises_.push_back({from, amount});
  falls_.push_back({to, -amount});
}

void Depth::build() {
  sort_unless_sorted(rises_, {}, &Change::at);
  sort_unless_sorted(falls_, {}, &Change::at);
  starts_.assign(1, std::numeric_limits<std::int64_t>::min());
  values_.assign(1, 0);
  for (std::size_t rise = 0, fall = 0; fall < falls_.size();) {  // the last change is a fall
    const bool rises = rise < rises_.size() && rises_[rise].at < falls_[fall].at;
    const Change& change = rises ? rises_[rise++] : falls_[fall++];
    if (change.at != starts_.back()) {
      starts_.push_back(change.at);
      values_.push_back(values_.back());
    }
    values_.back() += change.by;
  }
  rises_ = falls_ = {};
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
  const std::size_t first = step_of(from);
  return from == to ? values_[first] : highest_.over(first, step_of(to));
}

std::int64_t Depth::least(std::int64_t from, std::int64_t to) const {
  const std::size_t first = step_of(from);
  return from == to ? values_[first] : -lowest_.over(first, step_of(to));
}

}  // namespace rlctl
