// Redis patterns (MATCH): * ? [a-z], and a backslash before a literal character. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// Whether it has an unescaped * ? or [, so that it may match more than one name.
bool is_pattern(std::string_view text);

// What every match begins with, unescaped: `a\*b*` -> `a*b`. Empty: anything may match.
std::string literal_prefix(std::string_view pattern);

// The pattern that matches these bytes only.
std::string escape_pattern(std::string_view bytes);

}  // namespace rlctl
