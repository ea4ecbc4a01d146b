// The dates of HTTP header fields (RFC 9110, section 5.6.7), as µs since 1970. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rlctl {

// "Sun, 06 Nov 1994 08:49:37 GMT", and the two obsolete forms that recipients must accept:
// "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994". Years of two digits mean 1970 to
// 2069. The weekday is not compared with the date. Empty: it is none of these.
std::optional<std::int64_t> parse_http_date(std::string_view text);

// The first of the forms; fractions of a second are dropped.
std::string format_http_date(std::int64_t us);

}  // namespace rlctl
