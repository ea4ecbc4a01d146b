// The largest value over any range of indexes: a flat binary tree, filled once. O(n) memory and
// time to build, O(log n) per query.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rlctl {

template <class Value>
class RangeMax {
 public:
  void build(const std::vector<Value>& values) {
    size_ = values.size();
    tree_.assign(size_, Value{});
    tree_.insert(tree_.end(), values.begin(), values.end());
    for (std::size_t i = size_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
  }

  // The largest value of [first, last]; the range must not be empty.
  Value over(std::size_t first, std::size_t last) const {
    Value best = tree_[first + size_];
    std::size_t low = first + size_;
    std::size_t high = last + size_ + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low & 1) best = std::max(best, tree_[low++]);
      if (high & 1) best = std::max(best, tree_[--high]);
    }
    return best;
  }

 private:
  std::size_t size_ = 0;
  std::vector<Value> tree_;
};

}  // namespace rlctl
