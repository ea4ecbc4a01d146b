// A Report as JUnit XML: a suite for each run, a case for each thing that was to hold. What was
// broken is a <failure>, what could not be told an <error>. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

std::string report_junit(const Report& report);

}  // namespace rlctl
