#include "verdict/containment.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "base/sort.h"

namespace rlctl {
namespace {

// Max-heap of (high, cost) with the sum of its costs.
class HighHeap {
 public:
  void push(const Placement& p) {
    heap_.emplace(p.high_us, p.cost);
    sum_ += p.cost;
  }
  void pop() {
    sum_ -= heap_.top().second;
    heap_.pop();
  }
  bool empty() const { return heap_.empty(); }
  std::int64_t high() const { return heap_.top().first; }
  std::int64_t top_cost() const { return heap_.top().second; }
  std::int64_t sum() const { return sum_; }

 private:
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> heap_;
  std::int64_t sum_ = 0;
};

WorstWindow window_opening_at(const std::vector<Placement>& admitted, std::size_t first,
                              const WindowRule& rule) {
  WorstWindow window;
  window.from_us = window.to_us = admitted[first].low_us;
  const std::int64_t end = rule.end(admitted[first].low_us);
  for (std::size_t j = first; j < admitted.size() && admitted[j].low_us < end; ++j) {
    if (admitted[j].high_us >= end) continue;
    window.to_us = std::max(window.to_us, admitted[j].high_us);
    window.records.push_back(admitted[j].record);
  }
  return window;
}

// One operation is decided at one instant, so all of its cost is in one window, even if its
// interval is wide. It is unknown which of several aligned windows that is; this matters only below
// the limit.
void consider_each_alone(const std::vector<Placement>& admitted, bool one_window,
                         std::int64_t limit, Containment& best) {
  for (const Placement& p : admitted) {
    if (p.cost <= best.count || (!one_window && p.cost <= limit)) continue;
    best.count = p.cost;
    best.window = {p.low_us, p.high_us, {p.record}};
  }
}

// The sum of the fullest window, and the first operation that opens such a one.
struct Fullest {
  std::int64_t sum = 0;
  std::size_t first = 0;
};

Fullest fullest_in_order(const std::vector<Placement>& admitted, const WindowRule& rule) {
  Fullest best;
  std::int64_t sum = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    const std::int64_t over_us = rule.end(admitted[i].low_us);
    for (; end < admitted.size() && admitted[end].high_us < over_us; ++end)
      sum += admitted[end].cost;
    if (sum > best.sum) best = {sum, i};
    if (end > i)
      sum -= admitted[i].cost;
    else
      ++end;
  }
  return best;
}

Fullest fullest_in_any_order(const std::vector<Placement>& admitted, const WindowRule& rule) {
  Fullest best;
  HighHeap inside;
  for (std::size_t i = admitted.size(); i-- > 0;) {
    inside.push(admitted[i]);
    if (i > 0 && admitted[i - 1].low_us == admitted[i].low_us) continue;
    const std::int64_t end = rule.end(admitted[i].low_us);
    while (!inside.empty() && inside.high() >= end) inside.pop();
    if (inside.sum() >= best.sum && inside.sum() > 0) best = {inside.sum(), i};
  }
  return best;
}

}  // namespace

Containment most_certain(const std::vector<Placement>& admitted, const WindowRule& rule,
                         std::int64_t limit) {
  const bool in_order = std::ranges::is_sorted(admitted, {}, &Placement::high_us);
  const Fullest fullest =
      in_order ? fullest_in_order(admitted, rule) : fullest_in_any_order(admitted, rule);
  Containment best{fullest.sum, {}};
  if (fullest.sum > 0) best.window = window_opening_at(admitted, fullest.first, rule);
  consider_each_alone(admitted, !rule.is_aligned(), limit, best);
  return best;
}

std::int64_t least_excess(const std::vector<Placement>& admitted, const WindowRule& rule,
                          std::int64_t limit) {
  const auto earlier_end = [](const Placement& a, const Placement& b) {
    return a.high_us != b.high_us ? a.high_us < b.high_us : a.low_us < b.low_us;
  };
  std::vector<Placement> sorted;
  if (!std::ranges::is_sorted(admitted, earlier_end)) {
    sorted = admitted;
    std::ranges::sort(sorted, earlier_end);
  }
  const std::vector<Placement>& by_high = sorted.empty() ? admitted : sorted;
  std::int64_t excess = 0;
  std::map<std::int64_t, std::int64_t> kept;  // low -> admissions that may share a later window
  std::int64_t sum = 0;
  for (const Placement& p : by_high) {
    const std::int64_t cost = std::min(p.cost, limit);
    excess += p.cost - cost;
    while (!kept.empty() && rule.end(kept.begin()->first) <= p.high_us) {
      sum -= kept.begin()->second;
      kept.erase(kept.begin());
    }
    if (cost == 0 || rule.end(p.low_us) <= p.high_us) continue;
    kept[p.low_us] += cost;
    sum += cost;
    while (sum > limit) {
      const auto last = std::prev(kept.end());
      const std::int64_t gone = std::min(last->second, sum - limit);
      excess += gone;
      sum -= gone;
      if ((last->second -= gone) == 0) kept.erase(last);
    }
  }
  return excess;
}

std::int64_t widest_kept(const std::vector<Placement>& admitted, std::int64_t window_us,
                         std::int64_t limit) {
  std::int64_t widest = window_us;
  HighHeap lowest;  // the fewest operations, lowest high first, that exceed limit
  for (std::size_t i = admitted.size(); i-- > 0;) {
    if (admitted[i].cost > limit) return 0;
    lowest.push(admitted[i]);
    while (lowest.sum() - lowest.top_cost() > limit) lowest.pop();
    if (lowest.sum() > limit) widest = std::min(widest, lowest.high() - admitted[i].low_us);
  }
  return widest;
}

}  // namespace rlctl
