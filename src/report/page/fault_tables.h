// What the faults of a run did, as the documents that are published and as tables of a report.
// Pure.
#pragma once

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

// Empty without faults. The second table, if requests got no decision: what would have been made of
// them.
std::vector<ReportTable> fault_tables(const std::optional<std::vector<FaultDocument>>& faults);

}  // namespace rlctl
