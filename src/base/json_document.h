// Reads JSON (RFC 8259) with // and /* */ comments, for good error messages: every value has its
// place, members keep their order, duplicate names are found, numbers stay as written.
//
// We have our own reader because nlohmann's has no positions before 3.12, takes the last of
// duplicate names and turns 2^64 into a double. Limits: 1 MiB, 64 levels, 100,000 values. A byte
// order mark is skipped. Pure; never throws (except std::bad_alloc): mistakes are in `problems`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"

namespace rlctl {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

struct JsonMember;

struct JsonValue {
  JsonKind kind = JsonKind::null;
  SourceSpan span;
  bool boolean = false;
  bool told = false;             // not a valid value; the problem is already reported
  bool plain = false;            // a string without escapes: offsets in it are offsets in the file
  std::string text;              // a string's characters, a number as it was written
  std::vector<JsonValue> items;  // of an array
  std::vector<JsonMember> members;  // of an object; later duplicates are left out

  const JsonValue* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  SourceSpan name_span;
  JsonValue value;
};

inline constexpr std::size_t kLongestJsonBytes = std::size_t{1} << 20;

struct JsonDocument {
  JsonValue root;
  // Reading stops at the first syntax error that makes the rest unreadable. It goes on after
  // missing or extra commas and duplicate names.
  std::vector<SourceProblem> problems;
  bool complete = false;  // the root was read to its end
};

JsonDocument parse_json_document(std::string_view text);

// Where a part of a string's characters is in the file. A string with escapes is longer there than
// it is here: then all of it.
SourceSpan span_in_text(const JsonValue& value, SourceSpan part);

// "a text", "a list", for messages.
const char* name_of(JsonKind kind);

// One more step of a JSON pointer (RFC 6901).
std::string pointer_to(const std::string& parent, std::string_view name);
std::string pointer_to(const std::string& parent, std::size_t index);

}  // namespace rlctl
