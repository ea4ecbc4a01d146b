// The machine that measured, and how busy other programs kept it meanwhile. Plain values.
#pragma once

#include <cstdint>
#include <string>

namespace rlctl {

struct Machine {
  std::string cpu;  // the processor's model; empty: unknown
  std::int64_t cores = 0;
  std::string kernel;  // "Linux 6.1.0-18-amd64 x86_64"
  std::int64_t memory_bytes = 0;
};

// Shares of the time of all cores during a run. Below 0: unknown.
struct MachineUse {
  double other_cpu_percent = -1;  // by programs that are neither rlctl nor its Redis
  double stolen_percent = -1;     // by other guests of the same host
  double load_before = -1;        // runnable processes before the run, mean over 1 minute
};

}  // namespace rlctl
