#include "report/page/result_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

// A double represents every whole number exactly only up to here (2^53).
constexpr double kMostWhole = 9'007'199'254'740'992.0;

}  // namespace

const ResultJson& member(const ResultJson& json, const char* name) {
  static const ResultJson nothing;
  if (!json.is_object()) return nothing;
  const auto found = json.find(name);
  return found == json.end() ? nothing : *found;
}

const ResultJson& list(const ResultJson& json, const char* name) {
  static const ResultJson nothing = ResultJson::array();
  const ResultJson& value = member(json, name);
  return value.is_array() ? value : nothing;
}

std::string text_of(const ResultJson& json, const char* name) {
  const ResultJson& value = member(json, name);
  if (!value.is_string()) return {};
  const std::string& text = value.get_ref<const std::string&>();
  // Text that rlctl could not write as it was is escaped in the file already. To escape it again
  // does no harm, and makes text from other writers safe.
  if (!json.contains(std::string(name) + "_b64")) return escape_for_terminal(text);
  return escape_for_terminal(unescape(text).value_or(text));
}

std::optional<double> number_of(const ResultJson& json, const char* name) {
  const ResultJson& value = member(json, name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

std::string whole_text_of(const ResultJson& json, const char* name) {
  const ResultJson& value = member(json, name);
  return value.is_number_integer() ? value.dump() : plain_number(number_of(json, name));
}

std::int64_t whole_of(const ResultJson& json, const char* name) {
  const auto value = number_of(json, name);
  if (!value || std::abs(*value) > kMostWhole) return 0;
  return static_cast<std::int64_t>(*value);
}

ReportCell number_cell(const std::optional<double>& value, int decimals) {
  if (!value) return {"-", std::nullopt, Mood::neutral};
  const bool whole = decimals == 0 && std::abs(*value) < kMostWhole;
  return {whole ? format_count(std::llround(*value)) : fmt::format("{:.{}f}", *value, decimals),
          *value, Mood::neutral};
}

ReportCell text_cell(std::string text, Mood mood) { return {std::move(text), std::nullopt, mood}; }

ReportCell verdict_cell(const std::string& word) {
  return text_cell(word.empty() ? "-" : word, mood_of_word(word));
}

std::string plain_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace rlctl
