#include "result/values.h"

#include <fmt/format.h>

#include <cmath>

namespace rlctl {
namespace {

// A double represents every whole number exactly only up to here (2^53).
constexpr double kMostWhole = 9'007'199'254'740'992.0;

}  // namespace

std::optional<double> Number::approximately() const {
  return std::visit(
      [](const auto& value) -> std::optional<double> {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
          return std::nullopt;
        else
          return static_cast<double>(value);
      },
      value_);
}

std::int64_t Number::whole() const {
  const auto value = approximately();
  if (!value || std::abs(*value) > kMostWhole) return 0;
  return static_cast<std::int64_t>(*value);
}

std::string Number::digits() const {
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
          return {};
        else
          return fmt::format("{}", value);
      },
      value_);
}

}  // namespace rlctl
