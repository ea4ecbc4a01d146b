// Result files (bench, run, verify and simulate --json) as a Report. Pure; throws
// Error(Exit::usage) for a file that is not a result of rlctl, or is from a newer version.
#pragma once

#include <string>
#include <string_view>

#include "report/page/report.h"
#include "result/result_file.h"

namespace rlctl {

// `name`: the file name, for messages.
Report report_of_result(std::string_view text, const std::string& name);

// One function per kind of result.
Report report_of(const BenchDocument& bench);
Report report_of(const RunDocument& result);
Report report_of(const VerifyDocument& result);
Report report_of(const SimulateDocument& result);

}  // namespace rlctl
