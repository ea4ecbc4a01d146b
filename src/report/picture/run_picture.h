// RunPicture: all that a report draws of one judged log, in figures: the run's timeline, the worst
// window close up, the envelope against the lines of the contracts, latency, faults. Bounded by the
// number of slices and keys, not of records. Pure; O(n log n). Throws Error(Exit::usage) when a
// record has no time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/picture/latency_curve.h"
#include "report/picture/timeline.h"
#include "verdict/envelope.h"
#include "verdict/verdict.h"

namespace rlctl {

// The worst key around its worst window: enough on either side to see what surrounds it.
struct CloseUp {
  std::uint32_t key = 0;  // index into Log::keys
  std::int64_t window_from_us = 0;
  std::int64_t window_to_us = 0;
  std::int64_t limit = 0;      // of the policy, per window
  std::int64_t window_us = 0;  // likewise
  Timeline timeline;
  std::vector<std::int64_t> fill;  // report/picture/window_fill.h, by slice
};

// One point of the envelope, with what the contracts allow there.
struct PromisedPoint {
  std::int64_t span_us = 0;
  std::int64_t admissions = 0;
  std::optional<std::int64_t> policy;
  std::optional<std::int64_t> own;
};

struct SeenFault {
  std::string kind;
  std::int64_t at_us = 0;
  std::optional<std::int64_t> recovery_us;  // empty: no answer came after it
};

struct RunPicture {
  Timeline timeline;
  std::vector<double> per_second;   // answers, by slice of the timeline
  std::optional<CloseUp> close_up;  // empty: nothing was admitted, or there is no window
  std::vector<PromisedPoint> envelope;
  LatencyCurve from_intended;
  LatencyCurve from_sent;
  std::vector<SeenFault> faults;
  std::optional<std::int64_t> edge_phase_us;  // where aligned windows begin; empty: not known
  std::int64_t edge_window_us = 0;            // how far apart their edges are; 0: there are none
};

// How long the part is that the close-up shows of the worst window; 0 without one.
std::int64_t close_up_length_us(const Verdict& verdict);

// `least_length_us`: of the close-up, where several runs are shown on one scale.
RunPicture picture_of(const Log& log, const Verdict& verdict, const JudgeOptions& options,
                      std::int64_t least_length_us = 0);

}  // namespace rlctl
