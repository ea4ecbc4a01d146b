// The figures that the charts of an HTML report are drawn from, as one JSON object. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

// ASCII, and without "<": inside of a <script> nothing in it can end the element or open a comment.
std::string html_data(const Report& report);

}  // namespace rlctl
