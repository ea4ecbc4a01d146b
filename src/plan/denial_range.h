// How many of a client's requests a policy denies, if every arrival of the log is taken as wanted.
// Where the log gives only intervals, least and most over all placements of the arrivals.
//
// The least is what any limiter that keeps the rules must deny: the judge's proof against a limiter
// that admitted all of them (excess_certain). The most is for an exact limiter, which admits
// whenever all rules have room. Pure; O(n log n).
#pragma once

#include <cstdint>

#include "verdict/judge_key.h"

namespace rlctl {

struct ClientDenials {
  // certain: some request is denied in every placement; none: in no placement.
  OverAdmission denied = OverAdmission::none;
  std::int64_t least = 0;
  std::int64_t most = 0;
  Figures figures;  // of the judge, if all had been admitted
};

// `arrivals` has them as admitted.
ClientDenials denials_of(const History& arrivals, const Rules& rules, const JudgeOptions& options);

}  // namespace rlctl
