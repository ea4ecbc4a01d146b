// The machine that measured, and how busy it was with other things meanwhile. Plain values.
#pragma once

#include <cstdint>
#include <string>

namespace rlctl {

struct Machine {
  std::string cpu;  // the processor's model; empty: it does not say
  std::int64_t cores = 0;
  std::string kernel;  // "Linux 6.1.0-18-amd64 x86_64"
  std::int64_t memory_bytes = 0;
};

// Shares of all its cores' time while a run lasted. Below 0: not known.
struct MachineUse {
  double other_cpu_percent = -1;  // by programs that are neither rlctl nor its Redis
  double stolen_percent = -1;     // by other guests of the same host
  double load_before = -1;        // runnable processes just before, mean of a minute
};

}  // namespace rlctl
