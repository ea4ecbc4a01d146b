#include "report/fault_text.h"

#include <fmt/format.h>

#include "base/units.h"

namespace rlctl {
namespace {

std::string after(const std::optional<std::int64_t>& time_us, const char* what, const char* never) {
  return time_us ? fmt::format("{} after {}", what, format_duration_for_people(*time_us)) : never;
}

std::string recovery_in_words(const FaultFigures& fault) {
  if (fault.asked_after == 0 && !fault.right_after_us) return "no request came after it";
  std::string text = after(fault.right_after_us, "right again", "not right again");
  if (fault.asked_after > 0)
    text += "; " + after(fault.admits_after_us, "admits again",
                         fault.shut_us > 0 ? "did not admit again"
                                           : "denied all that came later, as it may");
  return text;
}

std::string counts_in_words(const FaultCounts& counts) {
  return fmt::format("{} allowed, {} denied, {} unknown, {} failed, {} over-admitted",
                     format_count(counts.allowed), format_count(counts.denied),
                     format_count(counts.unknown), format_count(counts.failed),
                     format_count(counts.over_admitted));
}

std::string before_in_words(const FaultCounts& before) {
  if (before.lasted_us == 0) return "nothing was asked before it";
  return fmt::format("in {} before it: {}", format_duration_for_people(before.lasted_us),
                     counts_in_words(before));
}

std::string fallbacks_in_words(const std::vector<FallbackFigures>& fallbacks) {
  std::string text = "requests without a decision (computed):";
  for (const FallbackFigures& one : fallbacks)
    text += fmt::format("{} {} admits {} and denies {}, {} over-admitted",
                        &one == &fallbacks.front() ? "" : ";", name_of(one.fallback),
                        format_count(one.admitted), format_count(one.denied),
                        format_count(one.over_admitted));
  return text;
}

}  // namespace

std::string fault_text(const Scenario& scenario, const ScenarioResult& result,
                       std::string_view indent) {
  std::string text;
  for (const PlayedFault& fault : result.faults) {
    const FaultFigures& figures = fault.figures;
    text += fmt::format("{}fault {} at {}, for {}: {}; {}\n{}  {}\n", indent,
                        scenario.faults[fault.fault].row().name,
                        format_duration_for_people(fault.at_us - result.started_us),
                        format_duration_for_people(fault.ended_us - fault.at_us),
                        counts_in_words(figures.during), recovery_in_words(figures), indent,
                        before_in_words(figures.before));
    if (!figures.fallbacks.empty())
      text += fmt::format("{}  {}\n", indent, fallbacks_in_words(figures.fallbacks));
  }
  return text;
}

}  // namespace rlctl
