#include "base/header_field.h"

#include <algorithm>

#include "base/text.h"

namespace rlctl {
namespace {

bool is_value_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= ' ' && byte != 0x7f);
}

}  // namespace

bool is_token_character(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_field_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_token_character);
}

bool is_field_value(std::string_view value) {
  return std::ranges::all_of(value, is_value_character);
}

}  // namespace rlctl
