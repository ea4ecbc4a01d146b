// RunPicture: all figures that a report draws for one judged log: the timeline of the run, a
// close-up of the worst window, the envelope with the lines of the contracts, latency, faults. Its
// size depends on the number of slices and keys, not of records. Pure; O(n log n). Throws
// Error(Exit::usage) if a record has no time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/picture/latency_curve.h"
#include "report/picture/timeline.h"
#include "verdict/outcome/envelope.h"
#include "verdict/verdict.h"

namespace rlctl {

// The worst key around its worst window, with some time on both sides. If too many admissions are
// only possible, the window is the one that possibly holds the most.
struct CloseUp {
  std::string key;  // as it is shown
  OverAdmission over = OverAdmission::none;
  std::int64_t window_from_us = 0;
  std::int64_t window_to_us = 0;
  std::int64_t limit = 0;      // of the policy, per window
  std::int64_t window_us = 0;  // of the policy
  Timeline timeline;
  std::vector<std::int64_t> fill;  // report/picture/window_fill.h, by slice
  // Only if `over` is possible: the same, of what may have been; and the admissions that the window
  // possibly holds, as indexes into Log::records.
  std::vector<std::int64_t> possible;
  std::vector<std::uint32_t> possible_records;
};

// One point of the envelope, with the number that each contract allows there.
struct PromisedPoint {
  std::int64_t span_us = 0;
  std::int64_t admissions = 0;
  std::optional<std::int64_t> possible;  // admissions, if too many are possible and not certain
  std::optional<std::int64_t> policy;
  std::optional<std::int64_t> own;
  std::vector<std::optional<std::int64_t>> by_rule;  // of the policy; empty: there is one rule
};

struct SeenFault {
  std::string kind;
  std::int64_t at_us = 0;
  std::optional<std::int64_t> recovery_us;  // empty: no answer after the fault
};

struct RunPicture {
  Timeline timeline;
  std::vector<double> per_second;            // answers, by slice of the timeline
  std::optional<CloseUp> close_up;           // empty: nothing was admitted, or there is no window
  OverAdmission over = OverAdmission::none;  // of all keys
  std::vector<PromisedPoint> envelope;
  std::vector<std::string> rules;  // the names of PromisedPoint::by_rule
  LatencyCurve from_intended;
  LatencyCurve from_sent;
  std::vector<SeenFault> faults;
  std::optional<std::int64_t> edge_phase_us;  // where aligned windows begin; empty: unknown
  std::int64_t edge_window_us = 0;            // the distance of their edges; 0: no edges
};

// The length of the worst window in the close-up; 0 without one.
std::int64_t close_up_length_us(const Verdict& verdict);

// `least_length_us`: the minimum length of the close-up, to show several runs on one scale.
RunPicture picture_of(const Log& log, const Verdict& verdict, const JudgeOptions& options,
                      std::int64_t least_length_us = 0);

}  // namespace rlctl
