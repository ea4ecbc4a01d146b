#include "report/picture/window_fill.h"

#include <algorithm>
#include <utility>

namespace rlctl {
namespace {

// When the number in the window changes, and by how much. Sorted by time.
std::vector<std::pair<std::int64_t, std::int64_t>> changes_of(
    const std::vector<Placement>& admitted, std::int64_t window_us) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  changes.reserve(2 * admitted.size());
  for (const Placement& admission : admitted) {
    changes.emplace_back(admission.high_us, admission.cost);
    changes.emplace_back(admission.low_us + window_us, -admission.cost);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

}  // namespace

std::vector<std::int64_t> window_fill(const std::vector<Placement>& admitted,
                                      std::int64_t window_us, const Timeline& timeline) {
  const auto changes = changes_of(admitted, window_us);
  std::vector<std::int64_t> most(timeline.slices.size(), 0);
  std::int64_t inside = 0;
  std::size_t next = 0;
  for (std::size_t slice = 0; slice < most.size(); ++slice) {
    const std::int64_t start_us =
        timeline.start_us + static_cast<std::int64_t>(slice) * timeline.slice_us;
    while (next < changes.size() && changes[next].first < start_us)
      inside += changes[next++].second;
    // Count only after all changes of an instant: (t - W, t] is half open, so what leaves at t does
    // not count.
    most[slice] = std::max<std::int64_t>(inside, 0);
    while (next < changes.size() && changes[next].first < start_us + timeline.slice_us) {
      inside += changes[next++].second;
      const bool settled = next == changes.size() || changes[next].first != changes[next - 1].first;
      if (settled) most[slice] = std::max(most[slice], inside);
    }
  }
  return most;
}

}  // namespace rlctl
