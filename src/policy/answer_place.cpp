#include "policy/answer_place.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kHeader = "header ";
constexpr std::string_view kRegex = "regex ";
constexpr double kLargest = std::numeric_limits<std::uint32_t>::max();
// A pattern is searched in the beginning of a body only.
constexpr std::size_t kMostSearched = std::size_t{256} << 10U;

// libstdc++'s default matcher recurses for each character, so that a long body ends the process.
// Its other one does not, and takes linear time; it has no back-references.
std::regex compiled(const std::string& pattern) {
#ifdef __GLIBCXX__
  return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
#else
  return std::regex(pattern);
#endif
}

std::optional<std::string> matched(const std::string& pattern, const std::string& text) {
  std::smatch match;
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), kMostSearched));
  if (!std::regex_search(text.begin(), end, match, compiled(pattern))) return std::nullopt;
  return match[match.size() > 1 ? 1 : 0].str();
}

std::optional<std::string> in_header(const AnswerPlace& place,
                                     const std::vector<HeaderField>& fields) {
  for (const HeaderField& field : fields) {
    if (!equals_ignoring_case(field.name, place.header)) continue;
    if (place.pattern.empty()) return std::string(trimmed(field.value));
    // A field such as Set-Cookie may come several times.
    if (auto found = matched(place.pattern, field.value)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> in_body(const std::string& pointer, const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  const Json::json_pointer place(pointer);
  if (json.is_discarded() || !json.contains(place)) return std::nullopt;
  const Json& value = json.at(place);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() || value.is_boolean() ? std::optional(value.dump()) : std::nullopt;
}

bool is_pointer(const std::string& text) try {
  return text.starts_with('/') && !Json::json_pointer(text).empty();
} catch (const Json::exception&) {
  return false;
}

void check_pattern(const std::string& pattern) try {
  compiled(pattern);
} catch (const std::regex_error& error) {
  throw Error(Exit::usage, in_quotes(pattern) + " is not a regular expression",
              escape_for_terminal(error.what()));
}

}  // namespace

AnswerPlace parse_answer_place(const std::string& text) {
  AnswerPlace place;
  std::string_view rest = text;
  if (rest.starts_with(kHeader)) {
    rest.remove_prefix(kHeader.size());
    place.header = trimmed(take_until(rest, ' '));
  }
  rest = trimmed(rest);
  if (rest.starts_with(kRegex)) {
    place.pattern = trimmed(rest.substr(kRegex.size()));
    check_pattern(place.pattern);
    rest = {};
  } else if (place.header.empty() && is_pointer(std::string(rest))) {
    place.pointer = rest;
    rest = {};
  }
  const bool named = place.header.empty() || is_field_name(place.header);
  if (place.is_given() && named && rest.empty()) return place;
  throw Error(Exit::usage, in_quotes(text) + " is not a place in an answer",
              "write 'header x-used', a JSON pointer such as /usage/total_tokens, or 'regex "
              "token=([a-z]+)'");
}

std::optional<std::string> text_at(const AnswerPlace& place, const std::vector<HeaderField>& fields,
                                   const std::string& body) {
  if (!place.header.empty()) return in_header(place, fields);
  return place.pattern.empty() ? in_body(place.pointer, body) : matched(place.pattern, body);
}

std::optional<std::int64_t> number_at(const AnswerPlace& place,
                                      const std::vector<HeaderField>& fields,
                                      const std::string& body) {
  const auto text = text_at(place, fields, body);
  const auto number = text ? parse_whole<double>(trimmed(*text)) : std::nullopt;
  if (!number || !(*number >= 0 && *number <= kLargest) || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace rlctl
