// A Report as JUnit XML: a suite for each run, a case for each check. A broken check is a
// <failure>, a check that could not be decided is an <error>. Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

std::string report_junit(const Report& report);

}  // namespace rlctl
