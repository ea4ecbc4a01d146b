// The yardstick of a bench: a script that never changes, measured beside the contestants in every
// round. What it shows is the machine's and the server's own pace at that moment; `compare` divides
// by it, so that weather between two benches is no difference between two limiters.
//
// Measured at a load of 5 to 7 on 2 cores: of 20 pairs of identical benches nine differed in
// something at p < 0.05 as they were, one in units of it (tests/significance_of_compare.sh).
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// Its name tells its version: figures in units of another yardstick can't be compared.
inline constexpr const char* kYardstickName = "incr/1";

Script yardstick_script();

}  // namespace rlctl
