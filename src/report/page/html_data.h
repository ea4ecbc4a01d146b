// The figures behind the charts of an HTML report, as one JSON object. Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

// ASCII, and without "<": inside a <script> it cannot end the element or open a comment.
std::string html_data(const Report& report);

}  // namespace rlctl
