#include "plan/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "plan/most_denials.h"

namespace rlctl {
namespace {

constexpr std::array kWindows{kSecondUs, 10 * kSecondUs, kMinuteUs, 10 * kMinuteUs, kHourUs};

// Whether intervals are longer than a quarter of the window. Then a limit says more of the stamps
// than of the clients.
bool is_too_coarse(const Plan& plan, std::int64_t window_us) {
  return 4 * plan.typical_width_us > window_us;
}

bool is_too_short(const Plan& plan, std::int64_t window_us) {
  return window_us > plan.to_us - plan.from_us;
}

// In ascending order of their lows.
std::vector<Placement> arrivals_of(const Log& log, std::span<const std::uint32_t> records) {
  std::vector<Placement> arrivals;
  for (const std::uint32_t index : records) {
    const Record& record = log.records[index];
    if (record.outcome == Outcome::failed) continue;
    arrivals.push_back({.low_us = record.sent_us, .high_us = record.received_us, .record = index});
  }
  sort_unless_sorted(arrivals, {}, &Placement::low_us);
  return arrivals;
}

}  // namespace

std::vector<Advice> advise(const Arrivals& arrivals, const Plan& plan, double hurt) {
  std::vector<std::int64_t> windows;
  for (const std::int64_t window_us : kWindows)
    if (!is_too_coarse(plan, window_us) && !is_too_short(plan, window_us))
      windows.push_back(window_us);
  const Log& log = arrivals.log();
  const RuleKeys keys(log, "");
  const RecordsByKey by_client(log, keys);
  std::vector<std::vector<std::int64_t>> most(windows.size());
  for (std::size_t client = 0; client < by_client.keys(); ++client) {
    const std::vector<Placement> by_low = arrivals_of(log, by_client.of(client));
    if (by_low.empty()) continue;
    const std::vector<Placement> by_end = by_high(by_low);
    for (std::size_t i = 0; i < windows.size(); ++i)
      most[i].push_back(fullest_window(by_low, by_end, windows[i]).count);
  }
  std::vector<Advice> advice;
  for (std::size_t i = 0; i < windows.size() && !most[i].empty(); ++i) {
    std::ranges::sort(most[i], std::greater<>());
    const auto spared = static_cast<std::size_t>(hurt * static_cast<double>(most[i].size()));
    advice.push_back({most[i][std::min(spared, most[i].size() - 1)], windows[i]});
  }
  return advice;
}

std::string windows_left_out(const Plan& plan) {
  std::vector<std::string> coarse;
  std::vector<std::string> too_long;
  for (const std::int64_t window_us : kWindows)
    if (is_too_coarse(plan, window_us))
      coarse.push_back(format_duration(window_us));
    else if (is_too_short(plan, window_us))
      too_long.push_back(format_duration(window_us));
  std::vector<std::string> reasons;
  if (!coarse.empty())
    reasons.push_back(fmt::format("{}, because a request's time is known only to {}",
                                  joined(coarse),
                                  format_duration_for_people(plan.typical_width_us + 1)));
  if (!too_long.empty())
    reasons.push_back(fmt::format(
        "{}, because the log lasts only {}", joined(too_long),
        format_duration_for_people(std::max<std::int64_t>(0, plan.to_us - plan.from_us))));
  return reasons.empty() ? std::string() : "--advise has no limit for " + joined(reasons, "; for ");
}

}  // namespace rlctl
