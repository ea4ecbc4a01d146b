// The formats of a Report, one function each: HTML, Markdown, CSV, JUnit and SVG. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/page/report.h"

namespace rlctl {

// One HTML file. It needs no network; its Content-Security-Policy allows only the scripts and
// styles of the build (by hash). It works in light and dark mode, on phones, on paper and with
// screen readers. Text and tables are in the markup; html/report.js draws the charts from one block
// of JSON. `version`: that of the rlctl that writes the page.
std::string html_page(const Report& report, std::string_view version);

// GitHub Markdown, for the summary of a CI job: the verdict, the checks, the tables, the notes and
// the command that repeats the run.
std::string report_markdown(const Report& report);

// CSV (RFC 4180): a row for each run. The columns are always the same: run, verdict (holds,
// violated or inconclusive), outcome (of what was asked: passed, failed, inconclusive or
// could_not_run), reason, and all figures with the names of the JSON formats. Cells that a
// spreadsheet would read as formulas are marked (base/escape.h).
std::string report_csv(const Report& report);

// JUnit XML: a suite for each run, a case for each check.
std::string report_junit(const Report& report);

// Close-ups of the worst windows as one SVG, for a README or a mail: a panel for each of the first
// runs, all with one scale. A text file without scripts, for light and dark mode. Throws
// Error(Exit::usage) if no run has a worst window to draw.
std::string svg_picture(const Report& report);

}  // namespace rlctl
