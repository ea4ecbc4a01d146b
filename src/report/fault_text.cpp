#include "report/fault_text.h"

#include <fmt/format.h>

#include "base/units.h"

namespace rlctl {
namespace {

std::string after(const std::optional<std::int64_t>& time_us, const char* what, const char* never) {
  return time_us ? fmt::format("{} after {}", what, format_duration_for_people(*time_us)) : never;
}

std::string recovery_in_words(const PlayedFault& fault) {
  if (fault.asked_after == 0 && !fault.right_after_us) return "no request came after it";
  std::string text = after(fault.right_after_us, "right again", "not right again");
  if (fault.asked_after > 0)
    text += "; " + after(fault.admits_after_us, "admits again", "did not admit again");
  return text;
}

std::string counts_in_words(const PlayedFault& fault) {
  return fmt::format("{} allowed, {} denied, {} unknown, {} failed, {} over-admitted",
                     format_count(fault.allowed), format_count(fault.denied),
                     format_count(fault.unknown), format_count(fault.failed),
                     format_count(fault.over_admitted));
}

}  // namespace

std::string fault_text(const Scenario& scenario, const ScenarioResult& result,
                       std::string_view indent) {
  std::string text;
  for (const PlayedFault& fault : result.faults)
    text += fmt::format("{}fault {} at {}, for {}: {}; {}\n", indent,
                        scenario.faults[fault.fault].row().name,
                        format_duration_for_people(fault.at_us - result.started_us),
                        format_duration_for_people(fault.ended_us - fault.at_us),
                        counts_in_words(fault), recovery_in_words(fault));
  return text;
}

}  // namespace rlctl
