// What Linux tells of the machine (/proc, uname). What it does not tell stays empty; never fails.
#pragma once

#include <cstdint>
#include <optional>

#include "compare/machine.h"

namespace rlctl {

Machine read_machine();

// The time of all cores since the machine started, in µs (ticks of 10 ms).
struct CoreTimes {
  std::int64_t busy_us = 0;  // by processes and the kernel, stolen time not counted
  std::int64_t stolen_us = 0;
  std::int64_t all_us = 0;  // idle too
};
std::optional<CoreTimes> read_core_times();

// Mean number of runnable processes over the last minute; below 0: not known.
double read_load();

// What others took between two readings, of which `own_us` was rlctl's and its server's.
MachineUse use_between(const CoreTimes& before, const CoreTimes& after, std::int64_t own_us);

}  // namespace rlctl
