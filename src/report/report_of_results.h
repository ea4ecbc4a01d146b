// Result files (bench, run, verify and simulate --json) as a Report. Pure; throws
// Error(Exit::usage) for what is no result of ours, or of a newer version.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"
#include "report/result_fields.h"

namespace rlctl {

// Whether the text opens like a result: {"schema": "rlctl.…
bool looks_like_result(std::string_view text);

// `name`: of the file, for messages.
Report report_of_result(std::string_view text, const std::string& name);

// One for each kind, of a file that is known to be of it.
Report report_of_bench(const ResultJson& json);
Report report_of_run(const ResultJson& json);
Report report_of_verify(const ResultJson& json);

}  // namespace rlctl
