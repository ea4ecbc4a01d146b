// A Report as one HTML file: no network, a Content-Security-Policy that runs nothing but what the
// build put in (by hash), light and dark, for a phone, for a printer, for a screen reader. Words
// and tables are in the markup; charts are drawn by html/report.js from one block of JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace rlctl {

// `version`: of the rlctl that writes it.
std::string html_page(const Report& report, std::string_view version);

}  // namespace rlctl
