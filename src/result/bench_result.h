// What `bench` measured: plain values for the reports. Every round is kept, so that the spread and
// a comparison can be computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrivals/attack.h"
#include "base/stats.h"
#include "policy/rule.h"
#include "verdict/verdict.h"

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

// What one master of a cluster did in a round.
struct NodeLoad {
  std::string name;  // "127.0.0.1:7000", raw
  double decisions_per_second = 0;
  double cpu_percent = 0;  // of one core
};

// One algorithm under one kind of traffic in one round.
struct SpeedRound {
  std::int64_t decisions = 0;
  std::int64_t allowed = 0;
  std::int64_t unanswered = 0;  // unknown and failed
  std::int64_t unknown = 0;
  std::int64_t unanswered_span_us = 0;  // from the first of them to the last
  double seconds = 0;
  double decisions_per_second = 0;
  LatencySummary latency_us;              // from the intended start
  double server_cpu_us_per_decision = 0;  // 0: not known
  double client_cpu_us_per_decision = 0;
  double redis_cpu_percent = 0;  // 0: not known
  std::vector<NodeLoad> nodes;   // of a cluster, else empty
};

// More than this share of a round's requests without an answer: its figures are those of an outage.
inline constexpr double kMostUnanswered = 0.01;  // as the usual budget of a run
inline bool lacks_answers(const SpeedRound& round) {
  const auto all = static_cast<double>(round.decisions + round.unanswered);
  return static_cast<double>(round.unanswered) > kMostUnanswered * all;
}

struct AttackResult {
  Attack attack = Attack::aligned;
  std::int64_t attempts = 0;
  std::int64_t late = 0;           // requests sent late by a twentieth of a window or more
  std::int64_t worst_span_us = 0;  // from the first to the last admission of the worst window
  Figures figures;                 // against the policy
};

// Why a contestant, or the whole bench, did not go on.
struct BenchProblem {
  std::string what;  // empty: it went on
  std::string hint;  // empty: it is the script's own error, or the service's

  bool empty() const { return what.empty(); }
};

struct AlgorithmResult {
  std::string name;
  std::vector<SpeedRound> admitted;  // every request is within the limit
  std::vector<SpeedRound> denied;    // nearly every request is above the limit
  std::vector<SpeedRound> one_slot;  // as `admitted`, but all keys have one hash tag (a cluster)
  std::vector<SpeedRound> one_key;   // every request is on one hot key (a cluster)
  // The yardstick in the same rounds (run/bench/yardstick.h); empty: too few rounds to compare.
  std::vector<SpeedRound> yardstick;
  std::string yardstick_name;
  std::int64_t bytes_per_key = 0;  // a key that holds `limit` admissions
  std::vector<AttackResult> attacks;
  // Answers to the attacks that are neither allowed nor denied, by status.
  std::map<int, std::int64_t> undecided;
  std::optional<Verdict> verdict;  // over all attacks
  std::string remark;              // found about it while it ran; usually empty
  std::string not_attacked;        // why there are no attacks, in words
  BenchProblem failed;             // why the rest of it was skipped; usually empty
};

// Of those that are compared.
inline bool lacks_answers(const AlgorithmResult& result) {
  const auto is_short = [](const SpeedRound& round) { return lacks_answers(round); };
  return std::ranges::any_of(result.admitted, is_short) ||
         std::ranges::any_of(result.denied, is_short);
}

struct BenchResult {
  Policy policy;
  std::string server;  // "redis 7.0.15"; empty: unknown
  Machine machine;
  MachineUse machine_use;
  std::string run_id;
  std::string command;  // that repeats this run
  std::int64_t connections = 0;
  std::int64_t pipeline = 1;
  std::int64_t threads = 1;
  std::int64_t wait_replicas = 0;  // that confirm each admission
  std::int64_t keys = 0;
  std::int64_t duration_us = 0;  // of a round; 0: a round ends after `requests`
  std::int64_t requests = 0;
  double rate_per_s = 0;         // open loop; 0: closed loop
  bool of_services = false;      // not of scripts in Redis
  bool on_virtual_time = false;  // the attacks ran on the virtual clock
  bool interrupted = false;
  BenchProblem problem;  // what ended the run early
  std::string leftover;  // of its keys in the user's Redis, a sentence; usually empty
  double seconds = 0;
  std::vector<AlgorithmResult> algorithms;
};

}  // namespace rlctl
