#include "limiter/cost_source.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kHeader = "header ";
constexpr double kLargestCost = std::numeric_limits<std::uint32_t>::max();

std::optional<std::int64_t> whole(double number) {
  if (!(number >= 0 && number <= kLargestCost) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> in_header(const std::string& name,
                                      const std::vector<HeaderField>& fields) {
  for (const HeaderField& field : fields)
    if (equals_ignoring_case(field.name, name)) {
      const auto number = parse_whole<double>(trimmed(field.value));
      return number ? whole(*number) : std::nullopt;
    }
  return std::nullopt;
}

std::optional<std::int64_t> in_body(const std::string& pointer, const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  const Json::json_pointer place(pointer);
  if (json.is_discarded() || !json.contains(place) || !json.at(place).is_number())
    return std::nullopt;
  return whole(json.at(place).get<double>());
}

}  // namespace

std::optional<CostSource> parse_cost_source(std::string_view text) {
  CostSource source;
  if (text.starts_with(kHeader)) {
    source.header = trimmed(text.substr(kHeader.size()));
    return is_field_name(source.header) ? std::optional(source) : std::nullopt;
  }
  if (!text.starts_with('/')) return std::nullopt;
  try {
    source.pointer = Json::json_pointer(std::string(text)).to_string();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return source;
}

std::optional<std::int64_t> cost_in(const CostSource& source,
                                    const std::vector<HeaderField>& fields,
                                    const std::string& body) {
  return source.header.empty() ? in_body(source.pointer, body) : in_header(source.header, fields);
}

}  // namespace rlctl
