// The figures of one key under anchored windows: each starts at the first hit after the end of the
// last one.
//
// If the exact time of every decision is known, they are replayed (replay_anchored() below).
// Otherwise only what holds for every anchor is certain. A span of less than W touches at most two
// windows, so one window held at least half of the m admissions in it. That half is max_certain;
// more than 2 L in some W is the proof, or more than L in the first W of a fresh key. A placement
// that keeps the sliding window also keeps the anchored one. If there is none, the placements at
// the earliest, the middle and the latest instants are replayed to find a witness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"
#include "verdict/opinion.h"

namespace rlctl {

RuleOpinion judge_anchored(const History& history, const Rule& contract,
                           const JudgeOptions& options);

// Replays anchored windows (INCR, and EXPIRE on the first hit). The first admission after a window
// has ended opens the next one. If the exact time of every decision is known, the admissions
// determine the windows, with two exceptions. Within the tolerance of a window's end, the key may
// or may not have expired. At the beginning of a log, requests that it does not show may have
// opened windows, also between its first admissions. There every possible course of events is kept;
// what holds for all of them is certain.

struct AnchoredRule {
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t tolerance_us = 0;
  bool may_block = false;                     // a denied request may have been a blocked one
  std::optional<std::int64_t> log_begins_us;  // later requests are all in the log
};

struct Replay {
  bool explained = true;  // some course keeps the limit throughout
  bool complete = true;   // false: too many courses, nothing is known
  std::int64_t excess = 0;
  std::int64_t max_certain = 0;
  std::int64_t max_possible = 0;
  WorstWindow worst_window;         // without its records
  std::vector<Opinion> admissions;  // one per history.admitted
  std::vector<Opinion> denials;     // one per history.denied
};

// `history` must be exact. O(n) time per course. There is one course, except in the two cases
// above.
Replay replay_anchored(const History& history, const AnchoredRule& rule);

}  // namespace rlctl
