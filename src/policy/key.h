// The names of limit keys: templates with placeholders, and the block flag beside a key. Pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rlctl {

// A placeholder's name without its brackets, and what to put in its place.
using KeyFilling = std::pair<std::string_view, std::string_view>;

// `ratelimit:ip:<ip>:minute` with every <name> filled in. A `<` that opens no <name> (letters,
// digits, `_`) stays. An unknown placeholder is Error(Exit::usage).
std::string fill_key_template(std::string_view key_template, std::span<const KeyFilling> fillings);

// What a key ends in where one limiter counts in several windows.
inline constexpr std::array<std::string_view, 4> kPeriodEndings{":second", ":minute", ":hour",
                                                                ":day"};

// The key without such an ending; one that is nothing else is a name like any other.
std::string_view without_period(std::string_view key);

// Where a key's block flag is kept by default: `<key>:blocked`, and where the key ends in a period,
// that ending replaced.
std::string default_block_key(std::string_view key);

}  // namespace rlctl
