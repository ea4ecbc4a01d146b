#include "plan/advice.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "base/sort.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "plan/most_denials.h"

namespace rlctl {
namespace {

constexpr std::array kWindows{kSecondUs, 10 * kSecondUs, kMinuteUs, 10 * kMinuteUs, kHourUs};

// Whether intervals are shorter than a quarter of the window. Otherwise a limit says more of the
// stamps than of the clients.
bool is_sharp_enough(const Plan& plan, std::int64_t window_us) {
  return 4 * plan.typical_width_us <= window_us && window_us <= plan.to_us - plan.from_us;
}

// The intervals of one client's arrivals.
struct Intervals {
  std::vector<std::int64_t> lows;   // ascending
  std::vector<std::int64_t> highs;  // ascending

  void read(const Log& log, std::span<const std::uint32_t> records) {
    lows.clear();
    highs.clear();
    for (const std::uint32_t index : records) {
      const Record& record = log.records[index];
      if (record.outcome == Outcome::failed) continue;
      lows.push_back(record.sent_us);
      highs.push_back(record.received_us);
    }
    sort_unless_sorted(lows);
    sort_unless_sorted(highs);
  }
};

}  // namespace

std::vector<Advice> advise(const Arrivals& arrivals, const Plan& plan, double hurt) {
  std::vector<std::int64_t> windows;
  for (const std::int64_t window_us : kWindows)
    if (is_sharp_enough(plan, window_us)) windows.push_back(window_us);
  const Log& log = arrivals.log();
  const RuleKeys keys(log, "");
  const RecordsByKey by_client(log, keys);
  std::vector<std::vector<std::int64_t>> most(windows.size());
  Intervals intervals;
  for (std::size_t client = 0; client < by_client.keys(); ++client) {
    intervals.read(log, by_client.of(client));
    if (intervals.lows.empty()) continue;
    for (std::size_t i = 0; i < windows.size(); ++i)
      most[i].push_back(most_in_window(intervals.lows, intervals.highs, windows[i]));
  }
  std::vector<Advice> advice;
  for (std::size_t i = 0; i < windows.size() && !most[i].empty(); ++i) {
    std::ranges::sort(most[i], std::greater<>());
    const auto spared = static_cast<std::size_t>(hurt * static_cast<double>(most[i].size()));
    advice.push_back({most[i][std::min(spared, most[i].size() - 1)], windows[i]});
  }
  return advice;
}

}  // namespace rlctl
