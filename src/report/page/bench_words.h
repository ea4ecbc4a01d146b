// What the verdict of a bench says, in its text and in its report. Pure.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/units.h"
#include "policy/rule.h"

namespace rlctl {

// "at most 100 in any 1s; all 10,082 decisions were correct".
inline std::string kept_in_words(const Rules& rules, std::int64_t right, std::int64_t decisions) {
  const std::string correct =
      right == decisions
          ? fmt::format("all {} decisions were correct", format_count(decisions))
          : fmt::format("{} of {} decisions were certainly correct, and none certainly wrong",
                        format_count(right), format_count(decisions));
  return promise_in_words(rules) + "; " + correct;
}

// Why a policy is broken although no window holds more than it allows.
inline std::string excess_in_words(std::int64_t excess) {
  return fmt::format(
      "over-admits: {} of its admissions are above the limit in every possible order",
      format_count(excess));
}
inline std::string false_denials_in_words(std::int64_t denials) {
  return fmt::format("wrongly denies {} requests that the policy allows", format_count(denials));
}

}  // namespace rlctl
