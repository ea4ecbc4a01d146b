// What a log proves. `judge` reads the records of a run and decides whether every decision agrees
// with the user's policy and with the limiter's own contract: sets of rules, all of which hold.
//
// Owns no state and reads no clock: the same log and options give the same verdict. Times are µs.
// It throws Error(Exit::usage) if there is no window to judge by, if the tolerance is not shorter
// than the window, or if a record has no time. Any thread may call it. O(n log n) time, O(n) memory
// per key.
//
// Two words are used everywhere. A figure is *certain* if it is true for every placement of the
// operations in their intervals: a proof against the limiter. It is *possible* if it is true for at
// least one placement: a doubt, but never a failure. If neither is shown, the figure is
// undetermined, and the log never passes.
//
// The room verdict: everything that can be concluded from a log.
// - It includes log, policy and base. It is pure.
// - It must not know which limiter or verb made the log, or how a verdict is printed.
//
// Begin with this file. The way of a log: history.h (the operations of a key as intervals),
// judge_key.h (all figures of a key), rule_judges.h (picks the judge by the kind of rule),
// judge_windows.h, judge_anchored.h, judge_bucket.h, judge_in_flight.h, opinion.h (each decision,
// right or wrong), notes.h. condition/: the metrics, and the language of `expect` and --fail-if.
// outcome/: what is made of verdicts: envelopes, header truth, results. joint_placement.h: one
// order of all decisions (placement_search.h, track/rule_track.h). algorithm/: schedulers and
// curves. A log by parts of its keys: judged_keys.h, outcome/judged_parts.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "log/record.h"
#include "log/target_counts.h"
#include "verdict/figures.h"

namespace rlctl {

struct KeyFigures {
  std::uint32_t key = 0;  // index into Log::keys, or among the keys of its rule
  Figures figures;        // if rules have keys of their own: by Figures::rule, under this key
  std::string text;       // of a rule with a key of its own (log/rule_keys.h): the key
};

struct Violations {
  bool over_admission = false;
  bool false_denial = false;
};

struct Judgement {
  Rules rules;  // not empty
  VerdictKind verdict = VerdictKind::inconclusive;
  Violations violations;
  std::string reason;            // one sentence
  std::string remedy;            // inconclusive: what would decide it
  Figures totals;                // sums; for figures that cannot be added, the worst key's
  std::vector<KeyFigures> keys;  // worst first
  std::int64_t key_count = 0;    // of a log by parts, `keys` has the worst of them
  std::vector<Figures> by_rule;  // the totals of each; empty: there is only one

  // As in the log: "user:1"; with the rule's name if it has a key of its own: "ann (per user)".
  // Escaped and in quotes, and cut to `width`.
  std::string name_of(const Log& log, const KeyFigures& key, std::size_t width = 80) const;

  // The one that broke, or that came nearest: max_certain to slack_us of the totals describe it.
  const Rule& rule() const { return rules[totals.rule]; }
};

struct Verdict {
  VerdictKind verdict = VerdictKind::inconclusive;  // the worse of the two
  std::string reason;                               // one sentence
  std::string remedy;                               // inconclusive: what would decide it
  Judgement policy;                                 // the log's policy; without one, `own`
  std::optional<Judgement> own;                     // the log's contract; empty if it has none
  std::vector<TargetCounts> targets;                // empty: one limiter decided
  std::vector<std::string> notes;  // edges crossed, operations in flight, the clock's uncertainty
};

// The policy is log.policy.rules, the own contract is log.contract (empty: it is not known). A log
// with a contract and without a policy is judged by the contract alone.
Verdict judge(const Log& log, const JudgeOptions& options = {});

// The parts, for a log whose records are somewhere else.

struct FramedRules;
struct JudgedKeys;
struct LogFacts;
class UnansweredBounds;

// The figures of all keys under these rules, their records by number in the log.
using KeysJudge = std::function<JudgedKeys(const FramedRules&)>;
struct KnownLog {
  const Log& head;  // the log, but for its records
  const LogFacts& facts;
  const UnansweredBounds& unanswered;
};
Verdict judge_known(const KnownLog& known, const JudgeOptions& options,
                    const KeysJudge& judge_keys);

// All ways in which judge_known() may ask for the keys, in its order. Which of them it asks for,
// depends on what it got before.
void each_way(const KnownLog& known, const JudgeOptions& options,
              const std::function<void(const FramedRules&)>& see);

// Judges by these rules alone.
Judgement judge_rules(const Log& log, const Rules& rules, const JudgeOptions& options = {});

}  // namespace rlctl
