// The words of a verdict in colour, for a terminal: green for what holds, red for what is broken,
// yellow for what could not be told. Pure; never fails.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// Colours a verdict at the start of a line, after a colon, and alone in a cell of a table. Headings
// of tables have no colour. If the first verdict is "passed", nothing in the text is red.
std::string with_coloured_verdicts(std::string_view text);

}  // namespace rlctl
