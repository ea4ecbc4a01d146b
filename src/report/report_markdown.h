// A Report as Markdown (GitHub's): the verdict, what was checked, the tables, the command to run it
// again; for the summary of a CI job. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

std::string report_markdown(const Report& report);

}  // namespace rlctl
