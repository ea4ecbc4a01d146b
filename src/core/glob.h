// Redis's patterns (MATCH): * ? [a-z] and a backslash before what is meant literally. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// Holds one of * ? [ that is not escaped, so it may match more than one name.
bool is_pattern(std::string_view text);

// What every match begins with, unescaped: `a\*b*` -> `a*b`. Empty: anything may match.
std::string literal_prefix(std::string_view pattern);

// The pattern that matches these bytes only.
std::string escape_pattern(std::string_view bytes);

}  // namespace rlctl
