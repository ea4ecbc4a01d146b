// The panels of an HTML report: for each kind of chart one panel a run, all with one scale, with a
// text alternative and the figures as a table beside each. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

// Sections with their headings; empty where no run has a picture.
std::string html_charts(const Report& report);

// The bar charts of a bench.
std::string html_bars(const Report& report);

}  // namespace rlctl
