// A Report as CSV (RFC 4180): a row for each run and a column for each figure that any run has,
// with the names of the JSON formats. Cells that a spreadsheet would read as formulas are marked
// (log/log_words.h). Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

std::string report_csv(const Report& report);

}  // namespace rlctl
