// The results of bench, run, simulate and verify as `compare` uses them. Pure. Throws
// Error(Exit::usage) with the file and what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compare/measured_run.h"
#include "result/result_file.h"

namespace rlctl {

MeasuredRun measured_result(const ResultDocument& document, const std::string& path);

// Returns empty if the text is not a result (a JSON object with a "schema"). It may be a log.
std::optional<MeasuredRun> read_result(std::string_view text, const std::string& path);

}  // namespace rlctl
