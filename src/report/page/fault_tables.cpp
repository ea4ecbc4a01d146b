#include "report/page/fault_tables.h"

#include <initializer_list>
#include <string>
#include <utility>

#include "base/units.h"
#include "report/page/cells.h"

namespace rlctl {
namespace {

const std::string kEmptyCell = "-";
const std::string kBefore = "before the first one";

ReportCell too_many_cell(const Number& count) {
  ReportCell cell = number_cell(count);
  if (count.or_zero() > 0) cell.mood = Mood::bad;
  return cell;
}

ReportCell after_its_end(const FaultDocument& fault, const Number& after_us) {
  if (!after_us.is_known()) return time_cell(after_us);
  const std::int64_t late_us = after_us.whole() - fault.lasted_us.whole();
  return late_us < 0 ? text_cell(std::string("before its end")) : time_cell(late_us);
}

std::vector<ReportCell> fault_row(const FaultDocument& fault) {
  return {text_cell(fault.kind),
          time_cell(fault.at_us),
          time_cell(fault.lasted_us),
          number_cell(fault.allowed),
          number_cell(fault.denied),
          number_cell(fault.unknown),
          number_cell(fault.failed),
          too_many_cell(fault.over_admitted),
          after_its_end(fault, fault.right_after_us),
          after_its_end(fault, fault.admits_after_us)};
}

std::vector<ReportCell> calm_row(const FaultCountsDocument& before) {
  return {text_cell(kBefore),          text_cell(kEmptyCell),
          time_cell(before.lasted_us), number_cell(before.allowed),
          number_cell(before.denied),  number_cell(before.unknown),
          number_cell(before.failed),  too_many_cell(before.over_admitted),
          text_cell(kEmptyCell),       text_cell(kEmptyCell)};
}

ReportTable counts_table(const std::vector<FaultDocument>& faults) {
  ReportTable table;
  table.title = "Faults";
  table.note = "counted until decisions were right again, and in the run before its first fault";
  table.columns = {{"fault", false},
                   {"at", true},
                   {"lasted", true},
                   {"allowed", true},
                   {"denied", true},
                   {"unknown", true},
                   {"failed", true},
                   {"too many", true},
                   {"right again after its end", true},
                   {"admits again after its end", true}};
  if (faults.front().before) table.rows.push_back(calm_row(*faults.front().before));
  for (const FaultDocument& fault : faults) table.rows.push_back(fault_row(fault));
  return table;
}

std::vector<ReportCell> rate_row(std::string name, const Number& lasted_us,
                                 std::initializer_list<Number> counts) {
  std::vector<ReportCell> row{text_cell(std::move(name)), time_cell(lasted_us)};
  for (const Number& count : counts)
    row.push_back(lasted_us.or_zero() < kShortestOfARateUs
                      ? text_cell(kEmptyCell)
                      : rate_cell(count.whole(), lasted_us.whole()));
  return row;
}

ReportTable per_second(const std::vector<FaultDocument>& faults) {
  ReportTable table;
  table.title = "Faults, requests per second";
  table.note = "of the counts above; a time below 100 ms has no rate";
  table.columns = {{"fault", false},    {"counted for", true}, {"allowed/s", true},
                   {"denied/s", true},  {"unknown/s", true},   {"failed/s", true},
                   {"too many/s", true}};
  const auto add = [&](const std::string& name, const Number& lasted_us, const auto& counts) {
    table.rows.push_back(rate_row(
        name, lasted_us,
        {counts.allowed, counts.denied, counts.unknown, counts.failed, counts.over_admitted}));
  };
  if (const auto& before = faults.front().before) add(kBefore, before->lasted_us, *before);
  for (const FaultDocument& fault : faults) add(fault.kind.shown(), fault.counted_us, fault);
  return table;
}

ReportTable computed(const std::vector<FaultDocument>& faults) {
  ReportTable table;
  table.title = "Requests without a decision, if they were answered so (computed)";
  table.note =
      "local-fallback: a counter of one service for each key, empty when the fault begins; "
      "without-wait: those that the limiter admitted are let in without a replica's confirmation";
  table.columns = {{"fault", false},
                   {"answered", false},
                   {"admitted", true},
                   {"denied", true},
                   {"too many in all", true}};
  for (const FaultDocument& fault : faults)
    for (const FallbackDocument& one : fault.fallbacks.value_or(std::vector<FallbackDocument>()))
      table.rows.push_back({text_cell(fault.kind), text_cell(one.fallback),
                            number_cell(one.admitted), number_cell(one.denied),
                            too_many_cell(one.over_admitted)});
  return table;
}

}  // namespace

ReportCell rate_cell(std::int64_t count, std::int64_t lasted_us) {
  const double rate = static_cast<double>(count * kSecondUs) / static_cast<double>(lasted_us);
  return number_cell(rate, count == 0 || rate >= 100 ? 0 : 1);
}

FaultDocument document_of(const std::string& kind, const FaultTime& time,
                          const FaultFigures& figures) {
  const auto& [during, before, right_after_us, admits_after_us, asked_after, shut_us, fallbacks] =
      figures;
  FaultDocument document{.kind = kind,
                         .at_us = time.at_us,
                         .lasted_us = time.ended_us - time.at_us,
                         .counted_us = during.lasted_us,
                         .allowed = during.allowed,
                         .denied = during.denied,
                         .unknown = during.unknown,
                         .failed = during.failed,
                         .over_admitted = during.over_admitted,
                         .right_after_us = right_after_us,
                         .admits_after_us = admits_after_us,
                         .before = FaultCountsDocument{.lasted_us = before.lasted_us,
                                                       .allowed = before.allowed,
                                                       .denied = before.denied,
                                                       .unknown = before.unknown,
                                                       .failed = before.failed,
                                                       .over_admitted = before.over_admitted}};
  if (!fallbacks.empty()) document.fallbacks.emplace();
  for (const FallbackFigures& one : fallbacks)
    document.fallbacks->push_back(
        {name_of(one.fallback), one.admitted, one.denied, one.over_admitted});
  return document;
}

std::vector<ReportTable> fault_tables(const std::optional<std::vector<FaultDocument>>& faults) {
  if (!faults || faults->empty()) return {};
  std::vector<ReportTable> tables{counts_table(*faults), per_second(*faults)};
  ReportTable answers = computed(*faults);
  if (!answers.rows.empty()) tables.push_back(std::move(answers));
  return tables;
}

}  // namespace rlctl
