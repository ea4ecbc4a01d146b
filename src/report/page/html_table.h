// Tables and lists of a Report as HTML. Pure.
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

}  // namespace rlctl
