// A Report as GitHub Markdown, for the summary of a CI job: the verdict, the checks, the tables and
// the command that repeats the run. Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

std::string report_markdown(const Report& report);

}  // namespace rlctl
