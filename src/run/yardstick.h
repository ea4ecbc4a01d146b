// The yardstick of a bench: a script that never changes, measured beside the contestants in every
// round. What it shows is the machine's and the server's own pace at that moment; `compare` divides
// by it, so that weather between two benches is no difference between two limiters.
//
// Measured at a load of 5 to 7 on 2 cores, 20 pairs of identical benches: server CPU per decision
// differed at p < 0.05 in 6 to 8 of them as it was, in none in units of the yardstick, and a
// limiter slowed by a fifth was noticed in all 20.
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// Its name tells its version: figures in units of another yardstick can't be compared.
inline constexpr const char* kYardstickName = "incr/1";

Script yardstick_script();

}  // namespace rlctl
