// Lists of Structured Field Values for HTTP (RFC 9651): what RateLimit and RateLimit-Policy are.
// Pure. Inner lists are left out, since none of our fields has them.
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
  std::vector<std::pair<std::string, BareItem>> parameters;  // of a repeated name, the last

  const BareItem* parameter(std::string_view name) const;
  // Empty: not there, or no integer.
  std::optional<std::int64_t> integer(std::string_view name) const;
};

// Fails as a whole, as section 4.2 demands: nothing of a malformed field may be believed. An empty
// field is an empty list.
std::optional<std::vector<ListItem>> parse_structured_list(std::string_view text);

// The members `name=item;parameters` of a Dictionary, in the order of the field.
std::optional<std::vector<std::pair<std::string, ListItem>>> parse_structured_dictionary(
    std::string_view text);

// "text" with quotes and backslashes escaped; what is not printable ASCII can't be said: it becomes
// an underscore.
std::string format_structured_string(std::string_view text);

}  // namespace rlctl
