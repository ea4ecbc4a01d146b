// Reply: one answer of Redis (RESP2) as a value. Plain data, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rlctl {

struct Reply {
  enum class Type : std::uint8_t { nil, integer, status, string, error, array };

  Type type = Type::nil;
  std::int64_t integer = 0;
  std::string text;  // status, string, error: raw bytes
  std::vector<Reply> elements;

  bool is_nil() const { return type == Type::nil; }
  bool is_error() const { return type == Type::error; }
  bool is_array() const { return type == Type::array; }
  bool is_integer() const { return type == Type::integer; }
  bool is_text() const { return type == Type::string || type == Type::status; }
};

// As people write it: nil, 3, OK, 'a text', [1, 'a text', nil]. Escaped; long ones are cut.
std::string reply_in_words(const Reply& reply);

}  // namespace rlctl
