// The panels of an HTML report: for each kind of chart one panel per run, all with the same scale.
// Each panel has a text alternative and its figures as a table. Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

// Sections with their headings; empty if no run has a picture.
std::string html_charts(const Report& report);

// The bar charts of a bench.
std::string html_bars(const Report& report);

}  // namespace rlctl
