// Reads the header of a log (log_encoder.h writes it). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "log/record.h"

namespace rlctl {

// Whether the line is meant as a header, valid or not.
bool is_log_header(std::string_view line);

// Returns a log without records. Throws Error(Exit::usage) with what is wrong: not JSON, a newer
// version, a number out of range, an unknown kind of contract. Missing fields keep their defaults;
// unknown fields are ignored.
Log parse_log_header(std::string_view line);

}  // namespace rlctl
