// What Linux reports about the machine (/proc, uname). What it does not report stays empty. Never
// fails.
#pragma once

#include <cstdint>
#include <optional>

#include "result/bench_result.h"

namespace rlctl {

Machine read_machine();

// CPU time of all cores since the machine started, in µs (ticks of 10 ms).
struct CoreTimes {
  std::int64_t busy_us = 0;  // by processes and the kernel, without stolen time
  std::int64_t stolen_us = 0;
  std::int64_t all_us = 0;  // idle time included
};
std::optional<CoreTimes> read_core_times();

// Mean number of runnable processes over the last minute; below 0: not known.
double read_load();

// CPU time that other processes took between two readings; `own_us` is the part of rlctl and its
// server.
MachineUse use_between(const CoreTimes& before, const CoreTimes& after, std::int64_t own_us);

}  // namespace rlctl
