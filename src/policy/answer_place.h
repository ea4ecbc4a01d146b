// A place in an HTTP answer: a header, a JSON pointer into the body, or a regular expression over
// either. Captures and costs are read from one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_field.h"

namespace rlctl {

struct AnswerPlace {
  std::string header;   // its name; empty: the body
  std::string pointer;  // a JSON pointer (RFC 6901) into the body
  std::string pattern;  // ECMAScript: its first group, or the whole match; empty: all of it

  bool is_given() const { return !header.empty() || !pointer.empty() || !pattern.empty(); }
};

// "header x-used", "/usage/total_tokens", "regex token=(\\w+)" or
// "header set-cookie regex sid=([^;]+)". Throws Error(Exit::usage) for another text.
AnswerPlace parse_answer_place(const std::string& text);

// What stands there; empty if there is nothing. A number of a JSON body is given as text.
std::optional<std::string> text_at(const AnswerPlace& place, const std::vector<HeaderField>& fields,
                                   const std::string& body);

// The same as a whole number from 0 to 2^32 - 1; empty if it is none.
std::optional<std::int64_t> number_at(const AnswerPlace& place,
                                      const std::vector<HeaderField>& fields,
                                      const std::string& body);

}  // namespace rlctl
