// Reads UTF-8 character by character, and measures text on a terminal. Pure; never fails: bytes
// that are not UTF-8 become invalid characters of length one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rlctl {

struct Character {
  char32_t code = 0;       // if not valid, the byte itself
  std::size_t length = 1;  // in bytes
  bool valid = false;      // false: overlong, surrogate, above U+10FFFF, cut short, or a stray byte
};

// The length in bytes of a character that begins with this byte (RFC 3629); 0: not a first byte.
std::size_t announced_length(char first);

// The character at the front of `bytes`, which must not be empty.
Character first_character(std::string_view bytes);

// A table of characters, in ascending order.
struct CodeRange {
  char32_t first;
  char32_t last;
};
bool contains(std::span<const CodeRange> ranges, char32_t code);

bool is_utf8(std::string_view bytes);

// Columns on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
// Expects text without control characters (base/escape.h). Ranges: Unicode 15 EastAsianWidth.txt,
// rounded to blocks.
std::size_t display_width(std::string_view text);

// The text, cut to at most `width` columns. If it is cut, it ends in "…".
std::string cut_to_width(std::string_view text, std::size_t width);

// The same, but what is cut is its middle: both ends of a name tell whose it is.
std::string cut_in_middle(std::string_view text, std::size_t width);

// `text`, padded with blanks to `width` columns; longer text does not change.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

}  // namespace rlctl
