// The result of `verify`: every history of the logs with its verdict. Reports read it. Plain
// values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "log/log_parser.h"
#include "verdict/inference.h"
#include "verdict/verdict.h"

namespace rlctl {

struct JudgedHistory {
  ParsedHistory parsed;
  std::optional<Verdict> verdict;  // empty: only --infer was requested
  std::optional<Inference> inference;

  const Log& log() const { return parsed.log; }
};

struct VerifyResult {
  ParsedLogs source;  // its histories were moved to `histories`
  std::vector<JudgedHistory> histories;
  std::size_t most_keys = 100;  // worst first; 0: all
};

// The first history with the worst verdict.
inline const JudgedHistory& worst_of(const VerifyResult& result) {
  const auto severity = [](const JudgedHistory& history) {
    if (!history.verdict) return -1;
    if (history.verdict->verdict == VerdictKind::violated) return 2;
    return history.verdict->verdict == VerdictKind::inconclusive ? 1 : 0;
  };
  const JudgedHistory* worst = &result.histories.front();
  for (const JudgedHistory& history : result.histories)
    if (severity(history) > severity(*worst)) worst = &history;
  return *worst;
}

}  // namespace rlctl
