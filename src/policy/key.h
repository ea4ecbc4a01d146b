// The names of limit keys: templates with placeholders, and the block flag beside a key. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rlctl {

// A placeholder's name without its brackets, and the text that replaces it.
using KeyFilling = std::pair<std::string_view, std::string_view>;

// `ratelimit:ip:<ip>:minute` with every <name> filled in. A `<` that does not begin a <name>
// (letters, digits, `_`) stays as it is. Throws Error(Exit::usage) for an unknown placeholder.
std::string fill_key_template(std::string_view key_template, std::span<const KeyFilling> fillings);

// The keys that a template gives for this key: one, or all that match a pattern of SCAN, because
// the template also has other placeholders.
struct KeyMatch {
  std::string text;
  bool is_pattern = false;
};
KeyMatch match_of(std::string_view key_template, std::string_view key);

// The endings of the keys of a limiter that counts in several windows.
struct PeriodEnding {
  std::string_view text;
  std::int64_t window_us;
};
inline constexpr std::array<PeriodEnding, 4> kPeriodEndings{{{":second", 1'000'000},
                                                             {":minute", 60'000'000},
                                                             {":hour", 3'600'000'000},
                                                             {":day", 86'400'000'000}}};

// The window that the ending of the key names; empty: it has no such ending.
std::optional<std::int64_t> period_us(std::string_view key);

// The key without such an ending. A key that consists only of an ending is returned unchanged.
std::string_view without_period(std::string_view key);

// The default key of the block flag: `<key>:blocked`. If the key ends in a period (kPeriodEndings),
// `:blocked` replaces that ending.
std::string default_block_key(std::string_view key);

}  // namespace rlctl
