#include "probe/hypothesis.h"

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace rlctl {
namespace {

// From usual to odd. A time is one of these numbers of its unit, if it may be.
constexpr std::int64_t kUsualNumbers[] = {1, 10, 30, 5,  2,  15, 20, 100, 200, 250, 500,
                                          3, 4,  6,  12, 45, 90, 25, 50,  300, 600, 900};
constexpr std::int64_t kUnits[] = {kDayUs, kHourUs, kMinuteUs, kSecondUs, 1'000, 1};

bool is_between(std::int64_t value, std::int64_t low, std::int64_t high) {
  return low <= value && value <= high;
}

// The nearest one to the middle, of those with the fewest digits before their zeros.
std::int64_t roundest_number(std::int64_t low, std::int64_t high) {
  constexpr std::int64_t kLargestStep = 1'000'000'000'000'000'000;
  const std::int64_t middle = low + (high - low) / 2;
  for (std::int64_t step = kLargestStep; step > 1; step /= 10) {
    const std::int64_t value = (middle + step / 2) / step * step;
    if (value > 0 && is_between(value, low, high)) return value;
  }
  return middle;
}

// How odd a number looks: its digits before the zeros, then all of them.
std::pair<std::size_t, std::size_t> oddness(std::int64_t number) {
  const std::string digits = std::to_string(number);
  return {digits.find_last_not_of('0') + 1, digits.size()};
}

// The refill of a bucket, in the roundest numbers: 10 per 1s rather than 1 per 100ms.
void tell_rate(Rule& rule, std::int64_t low_us, std::int64_t high_us) {
  for (const std::int64_t window_us : {kSecondUs, kMinuteUs, kHourUs, kDayUs}) {
    const std::int64_t fewest = (window_us + high_us - 1) / high_us;
    if (fewest < 1 || fewest > window_us / std::max<std::int64_t>(low_us, 1)) continue;
    rule.limit = roundest_number(fewest, window_us / std::max<std::int64_t>(low_us, 1));
    rule.window_us = window_us;
    return;
  }
  rule.limit = 1;
  rule.window_us = roundest_time(low_us, high_us);
}

}  // namespace

std::int64_t roundest_time(std::int64_t low_us, std::int64_t high_us) {
  for (const std::int64_t number : kUsualNumbers)
    for (const std::int64_t unit_us : kUnits)
      if (unit_us > 1 && is_between(number * unit_us, low_us, high_us)) return number * unit_us;
  std::int64_t roundest_us = low_us;
  auto least = oddness(low_us);
  for (const std::int64_t unit_us : kUnits) {
    const std::int64_t low = (low_us + unit_us - 1) / unit_us;
    const std::int64_t high = high_us / unit_us;
    if (low > high) continue;
    const std::int64_t number = roundest_number(low, high);
    if (oddness(number) >= least) continue;
    least = oddness(number);
    roundest_us = number * unit_us;
  }
  return roundest_us;
}

std::int64_t Hypothesis::time_us() const {
  if (kind != LimiterKind::bucket) return roundest_time(low_us, high_us);
  return low_us + (high_us - low_us) / 2;
}

bool Hypothesis::begins_with_clock() const { return edge_us % time_us() == 0; }

std::int64_t Hypothesis::filled_us() const {
  return kind == LimiterKind::bucket ? time_us() * limit_high : time_us();
}

std::int64_t Hypothesis::memory_us() const {
  const std::int64_t others_us = beside ? beside->memory_us() : 0;
  const std::int64_t times = kind == LimiterKind::bucket ? limit_high : is_counter() ? 2 : 1;
  return std::max(others_us, high_us * times);
}

bool Hypothesis::is_narrow() const {
  if (beside && !beside->is_narrow()) return false;
  const std::int64_t told_us = time_us();
  return high_us - low_us <= low_us * 3 / 100 ||
         std::max(high_us - told_us, told_us - low_us) <= told_us / 50;
}

bool Hypothesis::has_known_limit() const {
  return limit_high - limit <= limit / 50 && (!beside || beside->has_known_limit());
}

std::string Hypothesis::name() const {
  return beside ? beside->name() + " and " + row().name : row().name;
}

void join_equal(std::vector<Hypothesis>& hypotheses) {
  const Hypothesis* first = nullptr;
  for (Hypothesis& one : hypotheses) {
    one.same_as.clear();
    const bool waits = one.kind == LimiterKind::sliding || one.kind == LimiterKind::first_hit ||
                       one.kind == LimiterKind::bucket || one.kind == LimiterKind::hit_counter;
    if (one.is_refuted() || !waits || one.limit_high != 1) continue;
    if (first == nullptr)
      first = &one;
    else
      one.same_as = first->row().name;
  }
}

Rules rules_of(const Hypothesis& hypothesis) {
  Rules rules = hypothesis.beside ? rules_of(*hypothesis.beside) : Rules{};
  Rule rule;
  rule.limit = roundest_number(hypothesis.limit, hypothesis.limit_high);
  rule.window_us = hypothesis.time_us();
  switch (hypothesis.kind) {
    case LimiterKind::sliding_denied:
    case LimiterKind::counter_denied:
    case LimiterKind::hit_counter_denied:
      rule.counts_denied = true;
      break;
    case LimiterKind::first_hit:
      rule.kind = RuleKind::first_hit;
      break;
    case LimiterKind::fixed:
      rule.kind = RuleKind::fixed;
      if (!hypothesis.begins_with_clock()) rule.phase_us = std::nullopt;
      break;
    case LimiterKind::bucket:
      rule.kind = RuleKind::bucket;
      rule.capacity = rule.limit;
      tell_rate(rule, hypothesis.low_us, hypothesis.high_us);
      break;
    case LimiterKind::penalty:
      rule.kind = RuleKind::first_hit;
      rule.block_us = rule.window_us;
      break;
    default:
      break;
  }
  rules.push_back(rule);
  return rules;
}

}  // namespace rlctl
