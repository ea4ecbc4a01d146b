// What to type for a line of a format that is not known: its parts, with what they look like. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// "the first line has an address '10.0.0.1', ...; try --format '$remote_addr ...'". Escaped. Empty:
// the line has nothing that looks like a time.
std::string format_proposal(std::string_view line);

// The members of a line of JSON with their values, and the options for those that look like what a
// record needs: "at '1700000000.5', ip 'a'; if that is right, add --time-column at". Escaped.
// Empty: not JSON.
std::string column_proposal(std::string_view json_line);

}  // namespace rlctl
