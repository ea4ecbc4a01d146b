// The yardstick of a bench: a script that never changes, measured next to the contestants in every
// round. It shows the current speed of the machine and the server. `compare` divides by it, so that
// a change of the machine's load between two benches does not look like a change of a limiter.
//
// Measured at a load of 5 to 7 on 2 cores: of 20 pairs of identical benches, nine had a figure that
// differed at p < 0.05 without the yardstick, one with it (tests/significance_of_compare.sh).
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// Its name contains its version: figures divided by different yardsticks can't be compared.
inline constexpr const char* kYardstickName = "incr/1";

Script yardstick_script();

}  // namespace rlctl
