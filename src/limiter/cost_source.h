// Where an HTTP answer says what a request has used: a header, or a place in its JSON body. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_field.h"

namespace rlctl {

struct CostSource {
  std::string header;   // its name; empty: `pointer`
  std::string pointer;  // a JSON pointer (RFC 6901) into the body

  bool is_given() const { return !header.empty() || !pointer.empty(); }
};

// "header x-used" or "/usage/total_tokens"; empty for another text.
std::optional<CostSource> parse_cost_source(std::string_view text);

// What the answer says; empty if it does not say it as a whole number from 0 to 2^32 - 1.
std::optional<std::int64_t> cost_in(const CostSource& source,
                                    const std::vector<HeaderField>& fields,
                                    const std::string& body);

}  // namespace rlctl
