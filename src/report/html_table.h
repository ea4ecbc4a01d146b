// Tables and lists of a Report as HTML. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

// Text between tags and in attributes.
std::string html_text(std::string_view text);

// As above, with its lines.
std::string html_text_lines(std::string_view text);

// The class that gives an element its colours.
const char* html_class(Mood mood);

// Its heads are buttons that sort it.
std::string html_table(const ReportTable& table);

// One line each, with a mark that says whether it held.
std::string html_checks(const std::vector<ReportCheck>& checks);

std::string html_notes(const std::vector<std::string>& notes);

}  // namespace rlctl
