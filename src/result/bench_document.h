// The result of `bench` as it is published ("rlctl.bench/1"): medians on top, every round
// below. Plain values.
#pragma once

#include <optional>
#include <vector>

#include "result/comparison_document.h"
#include "result/fields.h"
#include "result/rule_document.h"

namespace rlctl {

struct PolicyDocument {
  static constexpr const char* kName = "policy";
  std::vector<RuleDocument> rules;
};

// Of a round, or the medians over the rounds: empty if there are none.
struct LatencyDocument {
  static constexpr const char* kName = "latency";
  Number mean, p50, p90, p95, p99, p999, max;
};

struct NodeDocument {
  static constexpr const char* kName = "node";
  Text name;
  Number decisions_per_second, cpu_percent;
};

struct RoundDocument {
  static constexpr const char* kName = "round";
  Number decisions, allowed, unanswered, seconds, decisions_per_second;
  LatencyDocument latency_us;
  Number server_cpu_us_per_decision, client_cpu_us_per_decision, redis_cpu_percent;
};

// The medians over the rounds.
struct SpeedDocument {
  Number decisions_per_second;
  LatencyDocument latency_us;
  Number server_cpu_us_per_decision, client_cpu_us_per_decision, redis_cpu_percent;
};

struct DeniedDocument {
  static constexpr const char* kName = "denied_traffic";
  SpeedDocument medians;
  std::vector<RoundDocument> rounds;
};

// How a cluster shared the work.
struct BalanceDocument {
  static constexpr const char* kName = "balance";
  std::vector<NodeDocument> nodes;
  Number skew, one_slot_decisions_per_second;
  Number one_key_decisions_per_second, one_key_server_cpu_us, one_key_busiest_cpu_percent;
};

struct YardstickDocument {
  static constexpr const char* kName = "yardstick";
  Text name;
  std::vector<RoundDocument> rounds;
};

struct AttackDocument {
  static constexpr const char* kName = "attack";
  Text name;
  Number attempts, late, allowed, denied, accuracy_low, accuracy_high, peak, burst_factor;
  Number worst_span_us, excess_certain, certain_false_denials;
};

struct AlgorithmDocument {
  static constexpr const char* kName = "algorithm";
  Text name;
  SpeedDocument medians;
  Number bytes_per_key;
  std::vector<AttackDocument> attacks;
  Number accuracy_low, accuracy_high, peak, burst_factor;  // the worst of the attacks
  Text own_contract, own_contract_reason, policy_verdict, not_attacked, remark, failed;
  std::vector<RoundDocument> rounds;
  DeniedDocument denied;
  std::optional<BalanceDocument> balance;
  std::optional<YardstickDocument> yardstick;
};

struct MachineDocument {
  static constexpr const char* kName = "machine";
  Text cpu;
  Number cores;
  Text kernel;
  Number memory_bytes;
};

struct MachineUseDocument {
  static constexpr const char* kName = "machine_use";
  Number other_cpu_percent, stolen_percent, load_before;
};

struct BenchDocument {
  static constexpr const char* kSchema = "rlctl.bench/1";
  Text version;
  bool complete = true;
  bool interrupted = false;
  Text run_id, command, server;
  MachineDocument machine;
  MachineUseDocument machine_use;
  PolicyDocument policy;
  Number connections, pipeline, threads, wait, keys, duration_us, requests, rate_per_s;
  Text clock;
  Number seconds;
  Text problem;
  std::vector<AlgorithmDocument> algorithms;
  bool embedded = false;
  std::optional<ComparisonDocument> comparison;  // with --baseline
};

void describe(Fields& fields, PolicyDocument& policy);
void describe(Fields& fields, LatencyDocument& latency);
void describe(Fields& fields, RoundDocument& round);
void describe(Fields& fields, SpeedDocument& medians);
void describe(Fields& fields, AttackDocument& attack);
void describe(Fields& fields, AlgorithmDocument& algorithm);
void describe(Fields& fields, BenchDocument& document);

}  // namespace rlctl
