#include "inspect/watch/admissions_between.h"

#include <algorithm>
#include <cmath>

namespace rlctl {
namespace {

// A level is a fraction of µs: a smaller difference was not a request.
constexpr double kRounding = 0.02;

double or_none(double admitted) { return admitted < kRounding ? 0 : admitted; }

Admissions from_bucket(const KeyLook& before, const KeyLook& now, const Policy& policy) {
  if (policy.limit == 0) return {};
  const double leaked = static_cast<double>(now.at_us - before.at_us) *
                        static_cast<double>(policy.limit) / static_cast<double>(policy.window_us);
  return {or_none(*now.used - std::max(0.0, *before.used - leaked)), {}};
}

// The increase of a counter. A counter that has fallen started again from 0.
double gained(double before, double now) { return now >= before ? now - before : now; }

Admissions from_counter(const KeyLook& before, const KeyLook& now, const Policy& policy) {
  const double most = static_cast<double>(policy.limit);
  if (policy.limit == 0 || std::max(*before.used, *now.used) <= most)
    return {gained(*before.used, *now.used), {}};
  const bool anew = *now.used < *before.used;
  const double start = anew ? 0 : *before.used;
  return {std::min(*now.used, most) - std::min(start, most),
          std::max(0.0, *now.used - most) - std::max(0.0, start - most)};
}

}  // namespace

Admissions admissions_between(const KeyLook& before, const KeyLook& now,
                              std::optional<std::int64_t> younger, const Policy& policy) {
  if (before.shape != now.shape || now.at_us <= before.at_us) return {};
  if (now.shape == Shape::log) {
    if (!younger) return {};
    return {static_cast<double>(*younger), {}};
  }
  if (!before.used || !now.used || !now.kind) return {};
  const RuleRow& row = row_of(*now.kind);
  if (row.takes_capacity) return from_bucket(before, now, policy);
  if (row.counts_from_0) return from_counter(before, now, policy);
  return {};  // a weighted count decreases by itself
}

}  // namespace rlctl
