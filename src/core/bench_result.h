// What `bench` measured: plain values, from which the reports are made. Rounds
// are kept, so that spread and comparison can be computed from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attack.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/stats.h"
#include "core/verdict.h"

namespace rlctl {

// One algorithm under one kind of traffic in one round.
struct SpeedRound {
  std::int64_t decisions = 0;
  std::int64_t allowed = 0;
  std::int64_t unanswered = 0;  // unknown and failed
  double seconds = 0;
  double decisions_per_second = 0;
  LatencySummary latency_us;  // from the intended start
  double server_cpu_us_per_decision = 0;
  double client_cpu_us_per_decision = 0;
  double redis_cpu_percent = 0;
};

struct AttackResult {
  Attack attack = Attack::aligned;
  std::int64_t attempts = 0;
  std::int64_t late = 0;           // requests sent a twentieth of a window late, or more
  std::int64_t worst_span_us = 0;  // from the first to the last admission of the worst window
  Figures figures;                 // against the policy
};

struct AlgorithmResult {
  std::string name;
  Contract contract;                 // its own
  std::vector<SpeedRound> admitted;  // every request fits
  std::vector<SpeedRound> denied;    // hardly any does
  // The yardstick in the same rounds (run/yardstick.h); empty where there are
  // too few to compare.
  std::vector<SpeedRound> yardstick;
  std::string yardstick_name;
  std::int64_t bytes_per_key = 0;  // a key that holds `limit` admissions
  std::vector<AttackResult> attacks;
  std::optional<Verdict> verdict;  // over all attacks
  std::string remark;              // what showed about the script while it ran; mostly empty
  std::string not_attacked;        // why there are none, in words
  std::string failed;              // what went wrong, after which it was left out; mostly empty
};

struct BenchResult {
  Policy policy;
  std::string server;  // "redis 7.0.15"; empty: it did not say
  Machine machine;
  MachineUse machine_use;
  std::string run_id;
  std::string command;  // that plays it again
  std::int64_t connections = 0;
  std::int64_t pipeline = 1;
  std::int64_t keys = 0;
  std::int64_t duration_us = 0;  // of a round; 0: it had so many requests
  std::int64_t requests = 0;
  double rate_per_s = 0;         // open loop; 0: as fast as answers come
  bool on_virtual_time = false;  // the attacks were played on it
  bool interrupted = false;
  std::string problem;  // what ended the run early
  double seconds = 0;
  std::vector<AlgorithmResult> algorithms;
};

}  // namespace rlctl
