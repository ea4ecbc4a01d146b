// What every verb prints: data on standard output (text or one JSON object), messages on standard
// error. Write errors are kept until finish_output, which main asks once at the end.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rlctl {

void print(std::string_view text);

// One object, pretty on a terminal, one line elsewhere; with `schema` ("rlctl.<verb>/1") and
// `version` first. ASCII only.
void print_json(std::string_view verb, nlohmann::ordered_json body);

// A message for people: "rlctl: …".
void tell(std::string_view message);

// False when something could not be written; a reader that went away (EPIPE) is no failure.
bool finish_output();

// Writes out what print() holds back, for who reads while a verb goes on. False when nobody does.
bool flush_output();

// NO_COLOR (no-color.org) is not set.
bool colour_is_wanted();

bool stdout_is_terminal();
std::size_t stdout_columns();               // of its terminal; 80 where there is none
std::size_t columns_or(std::size_t piped);  // of its terminal; `piped` where there is none
// `text`, its long lines broken at blanks on a terminal, but for commands, which are to be pasted;
// elsewhere as it is: programs read lines.
std::string fitted(std::string_view text);
// Standard error is where progress goes; no animation on a dumb terminal.
bool stderr_is_terminal();

}  // namespace rlctl
