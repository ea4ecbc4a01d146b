// What a log proves. `judge` reads the records of a run and answers, for the user's policy ("L per
// W, in any window") and for the limiter's own contract, whether every decision can be explained.
//
// Owns nothing, keeps nothing, asks no clock: the same log and options give the same verdict. Times
// are µs. It throws Error(Exit::usage) when there is no window to judge by, when the tolerance
// swallows it, or when a record has no time. Any thread may call it. O(n log n) time, O(n) memory
// per key.
//
// Two words run through all of it. A figure is *certain* when it holds wherever in its interval
// each operation was decided: a proof against the limiter. It is *possible* when it holds for one
// such placement: a doubt, and never a failure. What is in between is said to be undetermined, and
// never passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "log/record.h"
#include "verdict/figures.h"

namespace rlctl {

struct KeyFigures {
  std::uint32_t key = 0;  // index into Log::keys
  Figures figures;
};

struct Violations {
  bool over_admission = false;
  bool false_denial = false;
};

struct Judgement {
  Contract contract;
  VerdictKind verdict = VerdictKind::inconclusive;
  Violations violations;
  std::string reason;            // one sentence
  std::string remedy;            // inconclusive: what would decide it
  Figures totals;                // sums; the worst of the keys for what cannot be added
  std::vector<KeyFigures> keys;  // worst first
};

struct Verdict {
  VerdictKind verdict = VerdictKind::inconclusive;  // the worse of the two
  std::string reason;
  std::string remedy;
  Judgement policy;                // sliding(limit, window) of the log's policy; `own` without one
  std::optional<Judgement> own;    // the log's contract; empty when it has none
  std::vector<std::string> notes;  // edges crossed, operations in flight, the clock's uncertainty
};

// The policy is log.policy, the own contract log.contract (kind none: there is none). What the
// contract leaves at 0 (limit, window, capacity) it takes from the policy. A log without a policy
// (window 0) that has a contract is judged by the contract alone.
Verdict judge(const Log& log, const JudgeOptions& options = {});

// One contract alone.
Judgement judge_contract(const Log& log, const Contract& contract,
                         const JudgeOptions& options = {});

}  // namespace rlctl
