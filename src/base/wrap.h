// Sentences broken into lines that fit a terminal. Pure; never fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// `text` in lines of at most `width` columns (base/utf8.h), broken at blanks; a newline in it
// begins a line. A word that is wider than a line stays whole. What breaks goes on below its own
// text: behind the blanks its line begins with, or in the second column of "name   what it is".
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// The same as one text, each line with a newline at its end, all but the first behind `indent`.
std::string wrapped_text(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace rlctl
