#include "report/fault_text.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/units.h"
#include "base/words.h"
#include "report/page/fault_tables.h"
#include "scenario/playable.h"

namespace rlctl {
namespace {

std::string after_its_end(std::int64_t time_us) {
  const std::string text = format_duration_for_people(std::abs(time_us));
  return text + (time_us < 0 ? " before its end" : " after its end");
}

std::string recovery_in_words(const FaultFigures& fault, std::int64_t lasted_us) {
  if (fault.asked_after == 0 && !fault.right_after_us) return "no request came after it";
  std::string text = fault.right_after_us
                         ? "right again " + after_its_end(*fault.right_after_us - lasted_us)
                         : "not right again";
  if (fault.asked_after == 0) return text;
  if (fault.admits_after_us)
    return text + "; admits again " + after_its_end(*fault.admits_after_us - lasted_us);
  return text +
         (fault.shut_us > 0 ? "; did not admit again" : "; denied all that came later, as it may");
}

std::string counts_in_words(const FaultCounts& counts) {
  return fmt::format("{} allowed, {} denied, {} unknown, {} failed, {} over-admitted",
                     format_count(counts.allowed), format_count(counts.denied),
                     format_count(counts.unknown), format_count(counts.failed),
                     format_count(counts.over_admitted));
}

std::string rates_in_words(const FaultCounts& counts) {
  const auto rate = [&](std::int64_t count) { return rate_cell(count, counts.lasted_us).text; };
  return fmt::format("{} allowed, {} denied, {} unknown, {} failed, {} over-admitted",
                     rate(counts.allowed), rate(counts.denied), rate(counts.unknown),
                     rate(counts.failed), rate(counts.over_admitted));
}

std::string compared_in_words(const FaultFigures& fault) {
  const FaultCounts& before = fault.before;
  if (before.lasted_us == 0) return "nothing was asked before the first fault";
  std::string text = fmt::format(
      "per second in the {} before the first fault: {}",
      format_duration_for_people(before.lasted_us),
      before.lasted_us < kShortestOfARateUs ? "too short to tell" : rates_in_words(before));
  if (fault.during.lasted_us >= kShortestOfARateUs)
    text += "; during this one: " + rates_in_words(fault.during);
  return text;
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

std::string members_in_words(const Fault& fault) {
  const FaultRow& row = fault.row();
  std::string text;
  if (row.does_take("how")) text += fmt::format(", {}", name_of(fault.how));
  if (row.does_take("by")) text += ", by " + format_duration(fault.by_us);
  if (fault.jitter_us > 0) text += " and up to " + format_duration(fault.jitter_us) + " more";
  if (row.does_take("steps")) text += ", after " + counted(fault.steps, "command");
  if (fault.down_us > 0) text += ", for " + format_duration(fault.down_us);
  return text;
}

}  // namespace

std::string fault_plan_text(const Scenario& scenario) {
  std::string text;
  for (const Fault& fault : scenario.faults)
    text += fmt::format("  fault {}{}\n", in_words(scenario, fault), members_in_words(fault));
  return text;
}

std::string fault_text(const Scenario& scenario, const ScenarioResult& result,
                       std::string_view indent) {
  std::string text;
  for (const PlayedFault& fault : result.faults) {
    const FaultFigures& figures = fault.figures;
    const std::int64_t lasted_us = fault.ended_us - fault.at_us;
    text += fmt::format("{}fault {} at {}, for {}: {}; {}\n{}  {}\n", indent,
                        scenario.faults[fault.fault].row().name,
                        format_duration_for_people(fault.at_us - result.started_us),
                        format_duration_for_people(lasted_us), counts_in_words(figures.during),
                        recovery_in_words(figures, lasted_us), indent, compared_in_words(figures));
    if (!figures.fallbacks.empty())
      text += fmt::format("{}  {}\n", indent, fallbacks_in_words(figures.fallbacks));
  }
  return text;
}

}  // namespace rlctl
