// The output of all verbs: data on standard output (text or one JSON object), messages on standard
// error. Write errors are kept until finish_output, which main calls once at the end.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rlctl {

void print(std::string_view text);
// For people: on standard error if the file that is written is "-", standard output.
void print_beside(std::string_view file, std::string_view text);

// One object, indented on a terminal and on one line elsewhere; `schema` ("rlctl.<verb>/1") and
// `version` come first. ASCII only.
void print_json(std::string_view verb, nlohmann::ordered_json body);
// The same for an object that has its schema and version (cli/output/document.h).
void print_json(const nlohmann::ordered_json& document);

// A message for people: "rlctl: …". One line, so that grep and logs can use it, except on a
// terminal, where it is broken at blanks.
void tell(std::string_view message);

// False if something could not be written; a reader that has gone (EPIPE) is not a failure.
bool finish_output();

// Writes out what print() has buffered, for readers of a verb that is still running. False after a
// write error, so also if the reader has gone.
bool flush_output();

// NO_COLOR (no-color.org) is not set.
bool colour_is_wanted();

bool stdout_is_terminal();
std::size_t stdout_columns();               // of its terminal; 80 without one
std::size_t columns_or(std::size_t piped);  // of its terminal; `piped` without one
// On a terminal that shows colours, the words of verdicts in colour; otherwise `text` unchanged.
std::string coloured(std::string_view text);
// On a terminal, as `coloured`, and breaks long lines at blanks (base/wrap.h). Elsewhere returns
// `text` unchanged, because programs read lines.
std::string fitted(std::string_view text);
// Progress goes to standard error. False for a dumb terminal, which can't redraw a line.
bool stderr_is_terminal();

}  // namespace rlctl
