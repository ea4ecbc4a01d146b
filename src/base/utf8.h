// UTF-8, a character at a time, and how wide text is on a terminal. Pure; never fails: bytes that
// are not UTF-8 come out as invalid characters of length one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlctl {

struct Character {
  char32_t code = 0;       // the byte itself when not valid
  std::size_t length = 1;  // in bytes
  bool valid = false;      // false: overlong, surrogate, above U+10FFFF, cut short, or a stray byte
};

// How many bytes a character has that begins with this one (RFC 3629); 0: none does.
std::size_t announced_length(char first);

// The character at the front of `bytes`, which must not be empty.
Character first_character(std::string_view bytes);

bool is_utf8(std::string_view bytes);

// Columns on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
// Expects text without control characters (base/escape.h). Ranges: Unicode 15 EastAsianWidth.txt,
// rounded to blocks.
std::size_t display_width(std::string_view text);

// The front of `text` in at most `width` columns: whole where it fits, else with "…" at its end.
std::string cut_to_width(std::string_view text, std::size_t width);

// `text` filled with blanks to `width` columns; longer text is left whole.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

}  // namespace rlctl
