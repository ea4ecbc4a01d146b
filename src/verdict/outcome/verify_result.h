// The result of `verify`: every history of the logs with its verdict. Reports read it. Plain
// values.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "log/log_parser.h"
#include "verdict/outcome/inference.h"
#include "verdict/verdict.h"

namespace rlctl {

struct JudgedHistory {
  ParsedHistory parsed;
  std::optional<Verdict> verdict;  // empty: only --infer was requested
  std::optional<Inference> inference;
  std::string headline;  // what came of what a run asked for; empty: the verdict says it

  const Log& log() const { return parsed.log; }
};

inline constexpr std::size_t kMostKeys = 100;

struct VerifyResult {
  ParsedLogs source;  // its histories were moved to `histories`
  std::vector<JudgedHistory> histories;
  // Worst first; 0: all. Text has fewer rows than documents and pages, unless a number was given.
  std::size_t most_keys = kMostKeys;
  std::size_t most_keys_in_text = 10;
};

// The first history with the worst verdict.
inline const JudgedHistory& worst_of(const VerifyResult& result) {
  const auto verdict_of = [](const JudgedHistory& history) {
    return history.verdict ? std::optional(history.verdict->verdict) : std::nullopt;
  };
  return *std::ranges::max_element(result.histories, {}, verdict_of);
}

}  // namespace rlctl
