#include "base/utf8.h"

#include <algorithm>
#include <iterator>

namespace rlctl {
namespace {

constexpr CodeRange kCombining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x06D6, 0x06DC}, {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948},   {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x20D0, 0x20FF},
    {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF},
};

constexpr CodeRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},
    {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2753, 0x2757},   {0x2795, 0x2797},
    {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F3FA},
    {0x1F400, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

bool is_encodable(char32_t code, std::size_t length) {
  if (length == 3) return code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
  if (length == 4) return code >= 0x10000 && code <= 0x10FFFF;
  return true;  // two bytes: the lead byte excludes overlong forms
}

}  // namespace

std::size_t announced_length(char first) {
  const auto lead = static_cast<unsigned char>(first);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

Character first_character(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const Character invalid{lead, 1, false};
  const std::size_t length = announced_length(bytes[0]);
  if (length == 0 || length > bytes.size()) return invalid;
  if (length == 1) return {lead, 1, true};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if ((byte & 0xC0U) != 0x80U) return invalid;
    code = (code << 6U) | (byte & 0x3FU);
  }
  return is_encodable(code, length) ? Character{code, length, true} : invalid;
}

bool contains(std::span<const CodeRange> ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CodeRange::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    if (!character.valid) return false;
    bytes.remove_prefix(character.length);
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!contains(kCombining, character.code)) width += contains(kWide, character.code) ? 2 : 1;
    text.remove_prefix(character.length);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t kept = 0;
  for (std::size_t used = 0; kept < text.size();) {
    const Character character = first_character(text.substr(kept));
    used += display_width(text.substr(kept, character.length));
    if (used > width - 1) break;
    kept += character.length;
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::string cut_in_middle(std::string_view text, std::size_t width) {
  constexpr std::size_t kLeast = 8;
  const std::size_t whole = display_width(text);
  if (whole <= width) return std::string(text);
  if (width < kLeast) return cut_to_width(text, width);
  const std::size_t head = width / 3;
  std::string_view tail = text;
  for (std::size_t left = whole; left > width - head - 1;) {
    const std::size_t length = first_character(tail).length;
    left -= display_width(tail.substr(0, length));
    tail.remove_prefix(length);
  }
  // The first part ends with the sign that marks the cut.
  return cut_to_width(text, head + 1) + std::string(tail);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

}  // namespace rlctl
