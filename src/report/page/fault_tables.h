// What the faults of a run did, as the documents that are published and as tables of a report.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/page/report.h"
#include "result/run_document.h"
#include "verdict/outcome/fault_figures.h"

namespace rlctl {

// Times after the start of the run.
FaultDocument document_of(const std::string& kind, const FaultTime& time,
                          const FaultFigures& figures);

// Of a shorter time, a rate would be made of a request or two.
inline constexpr std::int64_t kShortestOfARateUs = 100'000;

// How many a second. A rate of less than a hundred has a digit more.
ReportCell rate_cell(std::int64_t count, std::int64_t lasted_us);

// Empty without faults: what was counted, the same per second, and, if requests got no decision,
// what would have been made of them.
std::vector<ReportTable> fault_tables(const std::optional<std::vector<FaultDocument>>& faults);

}  // namespace rlctl
