// The header record of a log, read back (log_encoder.h writes it).
#pragma once

#include <optional>
#include <string_view>

#include "log/record.h"

namespace rlctl {

// Whether the line is meant as a header, right or wrong.
bool is_log_header(std::string_view line);

// A log without records. Throws Error(Exit::usage) that says what is wrong: not JSON, a newer
// version, a number out of range, a contract of a kind we do not know. Fields that are missing stay
// at their defaults, fields we do not know are passed over.
Log parse_log_header(std::string_view line);

}  // namespace rlctl
