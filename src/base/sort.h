// Sorting of what is mostly in order already, as the lines of a log are: O(n) then. Pure.
#pragma once

#include <algorithm>
#include <functional>

namespace rlctl {

template <class Range, class Less = std::ranges::less, class Part = std::identity>
void sort_unless_sorted(Range& range, Less less = {}, Part part = {}) {
  if (!std::ranges::is_sorted(range, less, part)) std::ranges::sort(range, less, part);
}

}  // namespace rlctl
