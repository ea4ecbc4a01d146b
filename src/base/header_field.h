// A header field of an HTTP message, as received, and the characters that it may have. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

struct HeaderField {
  std::string name;  // in any case
  std::string value;
};

// A character of a token (`tchar`): RFC 9110, 5.6.2.
bool is_token_character(char c);

// Whether the text is a valid name or value of a field, so that it cannot start another field (RFC
// 9110, 5.1 and 5.5). A method follows the same rule as a name.
bool is_field_name(std::string_view name);
bool is_field_value(std::string_view value);

}  // namespace rlctl
