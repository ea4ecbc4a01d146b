// Sorting of what is mostly in order already, as the lines of a log are: O(n) then. Pure.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace rlctl {

template <class Range, class Less = std::ranges::less, class Part = std::identity>
void sort_unless_sorted(Range& range, Less less = {}, Part part = {}) {
  if (!std::ranges::is_sorted(range, less, part)) std::ranges::sort(range, less, part);
}

// A list as a set: in order, each value once. Quicker to make and to walk than std::set.
template <class Value>
void sort_unique(std::vector<Value>& values) {
  sort_unless_sorted(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace rlctl
