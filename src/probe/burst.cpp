#include "probe/burst.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "policy/rules_text.h"
#include "probe/hypothesis.h"

namespace rlctl {
namespace {

// Faster answers than this may be the service's own pace.
constexpr std::int64_t kShortestGapUs = 5'000;

// From one answer to the next, sorted; without those that came at once.
std::vector<std::int64_t> gaps_of(std::span<const Record> burst) {
  std::vector<std::int64_t> answered_us;
  for (const Record& one : burst)
    if (one.outcome == Outcome::allowed) answered_us.push_back(one.received_us);
  std::ranges::sort(answered_us);
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < answered_us.size(); ++i)
    if (answered_us[i] - answered_us[i - 1] >= kShortestGapUs)
      gaps.push_back(answered_us[i] - answered_us[i - 1]);
  std::ranges::sort(gaps);
  return gaps;
}

}  // namespace

BurstFinding burst_finding(std::span<const Record> burst, bool waits) {
  BurstFinding found{.sent = std::ssize(burst)};
  found.admitted = std::ranges::count(burst, Outcome::allowed, record_outcome);
  const auto denied = std::ranges::count(burst, Outcome::denied, record_outcome);
  found.undecided = undecided_of(burst);
  if (denied > 0) found.kind = waits ? BurstKind::unclear : BurstKind::in_flight;
  const std::vector<std::int64_t> gaps = gaps_of(burst);
  if (gaps.size() < 3) return found;
  const std::int64_t low_us = gaps[gaps.size() / 4];
  const std::int64_t high_us = gaps[gaps.size() * 3 / 4];
  if (!waits || high_us > 2 * low_us) return found;
  found.kind = BurstKind::queue;
  // Few gaps were measured, by timers of both sides.
  found.gap_low_us = low_us - low_us / 50;
  found.gap_high_us = high_us + high_us / 50;
  return found;
}

Rules rules_of(const BurstFinding& found) {
  const bool is_told = found.kind == BurstKind::queue || found.kind == BurstKind::in_flight;
  if (!is_told || found.admitted == found.sent || found.undecided.total() > 0) return {};
  if (found.kind == BurstKind::queue)
    return rules_of(Hypothesis{.kind = LimiterKind::bucket,
                               .limit = found.admitted,
                               .limit_high = found.admitted,
                               .low_us = found.gap_low_us,
                               .high_us = found.gap_high_us});
  Rule rule;
  rule.kind = RuleKind::in_flight;
  rule.limit = found.admitted;
  rule.window_us = 0;
  return {rule};
}

std::string burst_text(const BurstFinding& found) {
  const Rules rules = rules_of(found);
  std::string full =
      found.admitted < found.sent
          ? fmt::format("; of {} at once, {} were admitted\n", found.sent, found.admitted)
          : fmt::format("; {} at once were all admitted\n", found.sent);
  if (found.undecided.total() > 0)
    full += "  how many it holds is not known:\n" + undecided_lines(found.undecided);
  if (!rules.empty()) full += "  policy: " + rules_text(rules) + "\n";
  switch (found.kind) {
    case BurstKind::none:
      if (found.undecided.total() > 0) return "none was denied at once" + full;
      return found.sent == 0 ? "" : fmt::format("no limit for {} at once\n", found.sent);
    case BurstKind::queue:
      return fmt::format(
          "a queue: requests that come at once wait, one is answered every {} to {}{}",
          format_duration_for_people(found.gap_low_us),
          format_duration_for_people(found.gap_high_us), full);
    case BurstKind::in_flight:
      return fmt::format("a limit of requests in flight: {} at a time{}", found.admitted, full);
    case BurstKind::unclear:
      return "requests at once are denied, one after another they are not" + full +
             "  at once again, other numbers were admitted: it is no limit of requests in flight "
             "alone\n";
  }
  return {};
}

}  // namespace rlctl
