// Lists of Structured Field Values for HTTP (RFC 9651), the format of RateLimit and
// RateLimit-Policy. Pure. Inner lists are not supported, because none of our fields has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlctl {

struct BareItem {
  enum class Kind : std::uint8_t { integer, string, token, other };
  Kind kind = Kind::other;  // other: a decimal, bytes, a boolean, a date, a display string
  std::int64_t integer = 0;
  std::string text;  // of a string (unescaped) or a token
};

struct ListItem {
  BareItem value;
  std::vector<std::pair<std::string, BareItem>> parameters;  // for a repeated name, the last one

  const BareItem* parameter(std::string_view name) const;
  // Empty: absent, or not an integer.
  std::optional<std::int64_t> integer(std::string_view name) const;
};

// Returns empty for a malformed field, as section 4.2 requires: no part of it may be used. An empty
// field is an empty list.
std::optional<std::vector<ListItem>> parse_structured_list(std::string_view text);

// The members `name=item;parameters` of a Dictionary, in the order of the field.
std::optional<std::vector<std::pair<std::string, ListItem>>> parse_structured_dictionary(
    std::string_view text);

// "text" with quotes and backslashes escaped. The format allows only printable ASCII: other bytes
// become underscores.
std::string format_structured_string(std::string_view text);

}  // namespace rlctl
