// Reads the header of a log (log_encoder.h writes it). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "log/record.h"

namespace rlctl {

// Whether the line is meant as a header, valid or not.
bool is_log_header(std::string_view line);

// Whether it is meant as a header or as the last line of a log.
bool is_log_mark(std::string_view line);

// A log that goes on after another one in the same file (LogEncoder::append_turn): its number
// there.
std::optional<std::size_t> log_continued_by(std::string_view header);

// The last line of a log. Adds what it tells of the run to `log`, and returns the number of records
// that the log has; empty: the line is another one.
std::optional<std::uint64_t> read_log_end(std::string_view line, Log& log);

// Whether the log was written to its end only if its last line is there: older ones have none.
bool promises_end(std::string_view header);

// Returns a log without records. Throws Error(Exit::usage) with what is wrong: not JSON, a newer
// version, a number out of range, an unknown kind of contract. Missing fields keep their defaults;
// unknown fields are ignored.
Log parse_log_header(std::string_view line);

}  // namespace rlctl
