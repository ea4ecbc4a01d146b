// The JSON of bench, run, simulate and verify, read back for comparing. Pure.
// Throws Error(Exit::usage) that names the file and says what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compare/measured_run.h"

namespace rlctl {

// Empty when the text is no result (no JSON object with a "schema"): a log, perhaps.
std::optional<MeasuredRun> read_result(std::string_view text, const std::string& path);

}  // namespace rlctl
