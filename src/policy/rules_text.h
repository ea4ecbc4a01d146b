// The grammar of rules, as people write them:
//
//   rules    = rule *( "&" rule )
//   rule     = N "/" window                        any window holds at most N
//            | N "/" window "fixed" ["+" phase]    each window of the clock
//            | N "/" window "first-hit"            each window that a hit opens
//            | "bucket" N "+" N "/" window [ "by steps of" window ]
//                                                  capacity, then refill: evenly, or at once
//            | N "in flight"                       at most N held at any instant
//   contract = rules | "none"                      promises nothing
//   modifier = "," ( "denied count" | "block" duration )
//            | "," "lease" duration                after it, a holder that vanished holds nothing
//            | "," "per" NAME [ "/" prefix ]       counted by NAME, not by the key (policy/per.h)
//
// The rows of kRuleRows have an example of each: 100/1m, bucket 20 + 10/1s.
//
// A phase is a duration, or "?" if it is not known. A manifest writes `limit`, `window` and
// `capacity` instead of numbers: those of the policy that the script is played with. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/source_text.h"
#include "policy/rule.h"

namespace rlctl {

// What the names of a manifest stand for.
struct RuleNumbers {
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t capacity = 0;
  std::int64_t block_us = 0;  // added to each rule, if it has no block of its own

  bool operator==(const RuleNumbers&) const = default;
};

// Empty if there is a mistake; then `mistake` says where.
std::optional<Rules> read_rules(std::string_view text, TextMistake& mistake,
                                const std::optional<RuleNumbers>& names = {});

// The same for an option. Throws Error(Exit::usage) with the text and a caret under the mistake.
Rules parse_rules(std::string_view text, const std::string& field,
                  const std::optional<RuleNumbers>& names = {});

// Why no limiter can enforce the rule: its window is too short for Redis, or its numbers are too
// large for Lua. Empty: it can.
std::optional<Error> unusable(const Rule& rule);

// The text that reads back as the same rules: "bucket 20 + 10/1s & 500/1h".
std::string rules_text(const Rules& rules);

}  // namespace rlctl
