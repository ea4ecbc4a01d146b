#include "base/decimal.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

[[noreturn]] void fail(std::string_view field, std::string_view text, const char* what,
                       const char* hint) {
  throw Error(Exit::usage, fmt::format("{}: {} {}", field, in_quotes(text), what), hint);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::int64_t parse_millionths(std::string_view text, std::string_view field) {
  std::int64_t value = 0;
  const auto push = [&](int digit) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_add_overflow(value, std::int64_t{digit}, &value))
      fail(field, text, "is too large", "the largest number is 9,223,372,036,854");
  };
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) push(text[at] - '0');
  if (at == 0) fail(field, text, "is not a number", "write 5 or 0.1");
  int decimals = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++decimals) {
      if (decimals == 6) fail(field, text, "has too many decimals", "write six at most");
      push(text[at] - '0');
    }
    if (decimals == 0) fail(field, text, "is not a number", "write 5 or 0.1");
  }
  if (at < text.size()) fail(field, text, "is not a number", "write 5 or 0.1");
  for (; decimals < 6; ++decimals) push(0);
  return value;
}

double parse_share(std::string_view text, std::string_view field) {
  if (!text.ends_with('%')) fail(field, text, "is not a percentage", "write 1% or 0.1%");
  const std::int64_t percent = parse_millionths(text.substr(0, text.size() - 1), field);
  if (percent > 100 * kMillion) fail(field, text, "is more than 100 %", "write 0% to 100%");
  return static_cast<double>(percent) / (100.0 * kMillion);
}

std::string format_millionths(std::int64_t millionths) {
  std::string text = std::to_string(millionths / kMillion);
  if (millionths % kMillion == 0) return text;
  std::string decimals = std::to_string(kMillion + millionths % kMillion).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + "." + decimals;
}

}  // namespace rlctl
