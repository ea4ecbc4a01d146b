#include "report/picture/latency_curve.h"

#include <algorithm>
#include <utility>

#include "base/stats.h"
#include "base/units.h"

namespace rlctl {
namespace {

// On a log axis (of 1 - p), two neighbours are at most about a third of a decade apart.
constexpr std::int64_t kParts[] = {0,       250'000, 500'000, 750'000, 900'000, 950'000, 980'000,
                                   990'000, 995'000, 998'000, 999'000, 999'500, 999'800, 999'900};

// With n samples, one sample lies above the quantile 1 - 1/n.
bool shown_by(std::int64_t samples, std::int64_t parts) {
  return (kMillion - parts) * samples >= kMillion;
}

LatencyCurve curve_from(const Log& log, std::int64_t Record::*start) {
  std::vector<std::int64_t> samples;
  for (const Record& record : log.records) {
    const bool answered = record.outcome <= Outcome::denied && record.received_us != kNoTime;
    if (answered && record.*start != kNoTime && !record.lacks_duration)
      samples.push_back(log.latency_us(record, record.*start));
  }
  return latency_curve(std::move(samples));
}

}  // namespace

LatencyCurve latency_curve(std::vector<std::int64_t> samples_us) {
  LatencyCurve curve;
  curve.samples = static_cast<std::int64_t>(samples_us.size());
  if (samples_us.empty()) return curve;
  std::sort(samples_us.begin(), samples_us.end());
  for (const std::int64_t parts : kParts)
    if (shown_by(curve.samples, parts))
      curve.points.push_back({parts, percentile(samples_us, parts)});
  curve.points.push_back({kMillion, samples_us.back()});
  return curve;
}

LatencyCurve latency_from_intended(const Log& log) { return curve_from(log, &Record::intended_us); }

LatencyCurve latency_from_sent(const Log& log) { return curve_from(log, &Record::sent_us); }

}  // namespace rlctl
