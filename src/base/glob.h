// Redis patterns (MATCH): * ? [a-z], and a backslash before a literal character. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// Whether it has an unescaped * ? or [, so that it may match more than one name.
bool is_pattern(std::string_view text);

// Whether it has a letter or a digit that every match must have: `*203.0.113.7*`, but not `*` or
// `[a-z]*`.
bool has_literal(std::string_view pattern);

// What every match begins with, unescaped: `a\*b*` -> `a*b`. Empty: anything may match.
std::string literal_prefix(std::string_view pattern);

// The pattern that matches these bytes only.
std::string escape_pattern(std::string_view bytes);

}  // namespace rlctl
