// The values of a result document: a number and a text as they stand in JSON. Both may be missing,
// because the document may be a file that someone else wrote. Plain values; nothing fails.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/escape.h"

namespace rlctl {

// A JSON number. Integers keep all their digits. A missing number is written as null.
class Number {
 public:
  using Value = std::variant<std::monostate, std::int64_t, std::uint64_t, double>;

  Number() = default;
  template <std::signed_integral Integer>
  Number(Integer value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) Number(Integer value)
      : value_(static_cast<std::uint64_t>(value)) {}
  Number(double value) : value_(value) {}
  template <class Known>
  Number(const std::optional<Known>& value) : Number(value ? Number(*value) : Number()) {}

  bool is_known() const { return value_.index() != 0; }
  const Value& value() const { return value_; }
  std::optional<double> approximately() const;
  double or_zero() const { return approximately().value_or(0); }
  // 0 if it is missing or larger than a double can hold exactly (2^53).
  std::int64_t whole() const;
  // Every significant digit; empty if it is missing.
  std::string digits() const;

 private:
  Value value_;
};

// A text, as bytes. It may come from a file, so it is escaped wherever it is shown (base/escape.h).
class Text {
 public:
  Text() = default;
  Text(std::string bytes) : bytes_(std::move(bytes)) {}
  Text(const char* bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }
  std::string shown() const { return escape_for_terminal(bytes_); }
  friend bool operator==(const Text& text, std::string_view bytes) { return text.bytes_ == bytes; }

 private:
  std::string bytes_;
};

inline std::vector<Text> texts_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace rlctl
