// Breaks text into lines that fit a terminal. Pure; never fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// `text` in lines of at most `width` columns (base/utf8.h), broken at blanks. A newline begins a
// line. A word that is wider than a line stays whole, and so does a command ("rlctl list --stuck"),
// so that it can be pasted; with the words before it if they and the command are the whole line:
// "to replay it: rlctl ...". Continuation lines are indented like their text: after the blanks at
// the start of the line, or in the second column of "name   what it is".
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// The same as one text. Each line ends with a newline; all lines except the first are indented by
// `indent`.
std::string wrapped_text(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace rlctl
