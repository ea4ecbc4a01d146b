#include "report/picture/window_fill.h"

#include <algorithm>
#include <utility>

namespace rlctl {
namespace {

// When the number in the window changes, and by how much.
using Changes = std::vector<std::pair<std::int64_t, std::int64_t>>;

Changes sorted(Changes changes) {
  std::sort(changes.begin(), changes.end());
  return changes;
}

std::int64_t later(std::int64_t us, std::int64_t by_us) { return us == kOpenEnd ? us : us + by_us; }

Changes certain_changes(const std::vector<Placement>& admitted, std::int64_t window_us) {
  Changes changes;
  changes.reserve(2 * admitted.size());
  for (const Placement& admission : admitted) {
    changes.emplace_back(admission.high_us, admission.cost);
    changes.emplace_back(admission.low_us + window_us, -admission.cost);
  }
  return sorted(std::move(changes));
}

Changes possible_changes(const std::vector<Placement>& placed, std::int64_t window_us) {
  Changes changes;
  changes.reserve(2 * placed.size());
  for (const Placement& request : placed) {
    changes.emplace_back(request.low_us, request.cost);
    changes.emplace_back(later(request.high_us, window_us), -request.cost);
  }
  return sorted(std::move(changes));
}

// Counts only after all changes of an instant: (t - W, t] is half open, so what leaves at t does
// not count.
bool is_settled(const Changes& changes, std::size_t next) {
  return next == changes.size() || changes[next].first != changes[next - 1].first;
}

std::vector<std::int64_t> most_by_slice(const Changes& changes, const Timeline& timeline) {
  std::vector<std::int64_t> most(timeline.slices.size(), 0);
  std::int64_t inside = 0;
  std::size_t next = 0;
  for (std::size_t slice = 0; slice < most.size(); ++slice) {
    const std::int64_t start_us =
        timeline.start_us + static_cast<std::int64_t>(slice) * timeline.slice_us;
    while (next < changes.size() && changes[next].first < start_us)
      inside += changes[next++].second;
    most[slice] = std::max<std::int64_t>(inside, 0);
    while (next < changes.size() && changes[next].first < start_us + timeline.slice_us) {
      inside += changes[next++].second;
      if (is_settled(changes, next)) most[slice] = std::max(most[slice], inside);
    }
  }
  return most;
}

}  // namespace

std::vector<std::int64_t> window_fill(const std::vector<Placement>& admitted,
                                      std::int64_t window_us, const Timeline& timeline) {
  return most_by_slice(certain_changes(admitted, window_us), timeline);
}

std::vector<std::int64_t> possible_fill(const std::vector<Placement>& placed,
                                        std::int64_t window_us, const Timeline& timeline) {
  return most_by_slice(possible_changes(placed, window_us), timeline);
}

PossibleWindow fullest_possible(const std::vector<Placement>& placed, std::int64_t window_us) {
  const Changes changes = possible_changes(placed, window_us);
  PossibleWindow fullest;
  std::int64_t inside = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    inside += changes[i].second;
    if (!is_settled(changes, i + 1) || inside <= fullest.count) continue;
    fullest = {changes[i].first - window_us, changes[i].first, inside};
  }
  return fullest;
}

// A window of W does not hold two admissions that are W apart, so a closed span is 1 µs longer.
std::int64_t most_possible(const std::vector<Placement>& placed, std::int64_t span_us) {
  return fullest_possible(placed, span_us + 1).count;
}

}  // namespace rlctl
