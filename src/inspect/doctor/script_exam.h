// Examines the source of a Lua limiter for mistakes that can be seen in it. It reads words, not a
// syntax tree: it can miss a mistake, and what it finds names the line to look at. Pure.
#pragma once

#include <string>
#include <string_view>

#include "inspect/doctor/finding.h"

namespace rlctl {

// `name`: of the file or the function library, raw.
void examine_script(const std::string& name, std::string_view text, HealthFindings& findings);

}  // namespace rlctl
