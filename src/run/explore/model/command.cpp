#include "run/explore/model/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace rlctl {

Reply nil_reply() { return {}; }

Reply integer_reply(std::int64_t number) { return {Reply::Type::integer, number, {}, {}}; }

Reply integer_reply(std::size_t number) { return integer_reply(static_cast<std::int64_t>(number)); }

Reply status_reply(std::string text) { return {Reply::Type::status, 0, std::move(text), {}}; }

Reply text_reply(std::string text) { return {Reply::Type::string, 0, std::move(text), {}}; }

Reply array_reply(std::vector<Reply> elements) {
  return {Reply::Type::array, 0, {}, std::move(elements)};
}

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

bool reads_as_integer(const std::string& text, std::int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::to_string(number) == text;
}

std::int64_t to_integer(const std::string& text, const char* refusal) {
  std::int64_t number = 0;
  if (!reads_as_integer(text, number)) throw CommandRefused{refusal};
  return number;
}

long double to_long_double(const std::string& text, const char* refusal) {
  char* end = nullptr;
  const long double number = std::strtold(text.c_str(), &end);
  const bool blank = text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0;
  if (blank || end != text.c_str() + text.size() || std::isnan(number))
    throw CommandRefused{refusal};
  return number;
}

double to_double(const std::string& text, const char* refusal) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool blank = text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0;
  if (blank || end != text.c_str() + text.size() || std::isnan(number))
    throw CommandRefused{refusal};
  return number;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw CommandRefused{kOverflow};
  return sum;
}

std::string format_sum(long double number) {
  std::string text = fmt::format("{:.17f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string format_score(double score) {
  if (std::isinf(score)) return score > 0 ? "inf" : "-inf";
  return fmt::format("{:.17g}", score);
}

IndexRange clip_range(std::int64_t first, std::int64_t last, std::size_t size) {
  const auto length = static_cast<std::int64_t>(size);
  if (first < 0) first = std::max<std::int64_t>(0, first + length);
  if (last < 0) last += length;
  last = std::min(last, length - 1);
  if (first > last) return {};
  return {first, last};
}

std::int64_t expiry_of(const ModelCall& call, const std::string& text, std::int64_t unit_ms,
                       bool relative, bool negative) {
  const std::string refusal = "ERR invalid expire time in '" + call.words[0] + "' command";
  std::int64_t at_ms = to_integer(text);
  if (!negative && at_ms <= 0) throw CommandRefused{refusal};
  const bool too_large = __builtin_mul_overflow(at_ms, unit_ms, &at_ms);
  if (too_large || (relative && __builtin_add_overflow(at_ms, call.keys.now_ms(), &at_ms)))
    throw CommandRefused{refusal};
  return at_ms;
}

}  // namespace rlctl
