// A Report as one HTML file. It needs no network; its Content-Security-Policy allows only the
// scripts and styles of the build (by hash). It works in light and dark mode, on phones, on paper
// and with screen readers. Text and tables are in the markup; html/report.js draws the charts from
// one block of JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/page/report.h"

namespace rlctl {

// `version`: that of the rlctl that writes the page.
std::string html_page(const Report& report, std::string_view version);

}  // namespace rlctl
