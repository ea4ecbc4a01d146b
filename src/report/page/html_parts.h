// The parts of an HTML report: text, tables and lists as markup, the panels of its charts, and the
// figures behind them as JSON. Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

// Text between tags and in attributes.
std::string html_text(std::string_view text);

// As above, but keeps line breaks.
std::string html_text_lines(std::string_view text);

// The CSS class that gives an element its colours.
const char* html_class(Mood mood);

// The column headers are buttons that sort the table.
std::string html_table(const ReportTable& table);

// One line per check, with a mark for its result.
std::string html_checks(const std::vector<ReportCheck>& checks);

std::string html_notes(const std::vector<std::string>& notes);

// The panels of the charts: for each kind of chart one panel per run, all with the same scale. Each
// panel has a text alternative and its figures as a table. Sections with their headings; empty if
// no run has a picture.
std::string html_charts(const Report& report);

// The bar charts of a bench.
std::string html_bars(const Report& report);

// The figures behind the charts, as one JSON object. ASCII, and without "<": inside a <script> it
// cannot end the element or open a comment.
std::string html_data(const Report& report);

}  // namespace rlctl
