#include <algorithm>
#include <span>

#include "report/bench_figures.h"
#include "report/documents.h"

namespace rlctl {
namespace {

LatencyDocument document_of(const LatencySummary& latency) {
  return {latency.mean, latency.p50,  latency.p90, latency.p95,
          latency.p99,  latency.p999, latency.max};
}

// A server that tells its CPU time has used some.
Number used(double value) { return value > 0 ? Number(value) : Number(); }

std::vector<RoundDocument> documents_of(std::span<const SpeedRound> rounds) {
  std::vector<RoundDocument> documents;
  for (const SpeedRound& round : rounds)
    documents.push_back({.decisions = round.decisions,
                         .allowed = round.allowed,
                         .unanswered = round.unanswered,
                         .seconds = round.seconds,
                         .decisions_per_second = round.decisions_per_second,
                         .latency_us = document_of(round.latency_us),
                         .server_cpu_us_per_decision = used(round.server_cpu_us_per_decision),
                         .client_cpu_us_per_decision = round.client_cpu_us_per_decision,
                         .redis_cpu_percent = used(round.redis_cpu_percent)});
  return documents;
}

// The median over the rounds; missing if there are none.
Number median_of(std::span<const SpeedRound> rounds, double SpeedRound::*part) {
  const auto shown = figure(rounds, [part](const SpeedRound& round) { return round.*part; });
  return shown ? Number(shown->median) : Number();
}

Number median_used(std::span<const SpeedRound> rounds, double SpeedRound::*part) {
  return used(median_of(rounds, part).or_zero());
}

template <typename Value>
Number median_of(std::span<const SpeedRound> rounds, Value LatencySummary::*part) {
  const auto shown = figure(rounds, [part](const SpeedRound& round) {
    return static_cast<double>(round.latency_us.*part);
  });
  return shown ? Number(shown->median) : Number();
}

SpeedDocument medians_of(std::span<const SpeedRound> rounds) {
  return {
      .decisions_per_second = median_of(rounds, &SpeedRound::decisions_per_second),
      .latency_us = {median_of(rounds, &LatencySummary::mean),
                     median_of(rounds, &LatencySummary::p50),
                     median_of(rounds, &LatencySummary::p90),
                     median_of(rounds, &LatencySummary::p95),
                     median_of(rounds, &LatencySummary::p99),
                     median_of(rounds, &LatencySummary::p999),
                     median_of(rounds, &LatencySummary::max)},
      .server_cpu_us_per_decision = median_used(rounds, &SpeedRound::server_cpu_us_per_decision),
      .client_cpu_us_per_decision = median_of(rounds, &SpeedRound::client_cpu_us_per_decision),
      .redis_cpu_percent = median_used(rounds, &SpeedRound::redis_cpu_percent)};
}

AttackDocument document_of(const AttackResult& attack) {
  const Figures& figures = attack.figures;
  return {.name = name_of(attack.attack),
          .attempts = attack.attempts,
          .late = attack.late,
          .allowed = figures.allowed,
          .denied = figures.denied,
          .accuracy_low = figures.accuracy_low,
          .accuracy_high = figures.accuracy_high,
          .peak = figures.peak,
          .burst_factor = figures.burst_factor,
          .worst_span_us = attack.worst_span_us,
          .excess_certain = figures.excess_certain,
          .certain_false_denials = figures.certain_false_denials.size()};
}

void add_attacks(const AlgorithmResult& result, AlgorithmDocument& document) {
  for (const AttackResult& attack : result.attacks) document.attacks.push_back(document_of(attack));
  if (const auto lowest = accuracy(result)) {
    document.accuracy_low = lowest->low;
    document.accuracy_high = lowest->high;
  }
  if (const AttackResult* worst = worst_attack(result)) {
    document.peak = worst->figures.peak;
    document.burst_factor = worst->figures.burst_factor;
  }
  if (!result.verdict) return;
  document.policy_verdict = name_of(result.verdict->policy.verdict);
  const auto& own = result.verdict->own;
  if (!own) return;
  document.own_contract = name_of(own->verdict);
  if (own->verdict != VerdictKind::holds) document.own_contract_reason = own->reason;
}

std::optional<BalanceDocument> balance_of(const AlgorithmResult& result) {
  const std::vector<NodeLoad> nodes = node_medians(result.admitted);
  if (nodes.empty()) return std::nullopt;
  BalanceDocument balance;
  for (const NodeLoad& node : nodes)
    balance.nodes.push_back({node.name, node.decisions_per_second, node.cpu_percent});
  balance.skew = skew_of(nodes);
  balance.one_slot_decisions_per_second =
      median_of(result.one_slot, &SpeedRound::decisions_per_second);
  balance.one_key_decisions_per_second =
      median_of(result.one_key, &SpeedRound::decisions_per_second);
  balance.one_key_server_cpu_us =
      median_used(result.one_key, &SpeedRound::server_cpu_us_per_decision);
  balance.one_key_busiest_cpu_percent = busiest_cpu_percent(node_medians(result.one_key));
  return balance;
}

AlgorithmDocument document_of(const AlgorithmResult& result) {
  AlgorithmDocument document{
      .name = result.name,
      .medians = medians_of(result.admitted),
      .bytes_per_key = result.bytes_per_key > 0 ? Number(result.bytes_per_key) : Number(),
      .not_attacked = result.not_attacked,
      .remark = result.remark,
      .failed = result.failed.what,
      .rounds = documents_of(result.admitted),
      .denied = {medians_of(denials(result)), documents_of(denials(result))}};
  add_attacks(result, document);
  document.balance = balance_of(result);
  if (!result.yardstick.empty())
    document.yardstick = {result.yardstick_name, documents_of(result.yardstick)};
  return document;
}

Number known(double value) { return value < 0 ? Number() : Number(value); }

bool is_complete(const BenchResult& result) {
  return !result.interrupted && result.problem.empty() &&
         std::ranges::all_of(result.algorithms, &BenchProblem::empty, &AlgorithmResult::failed);
}

}  // namespace

BenchDocument document_of(const BenchResult& result) {
  const Machine& machine = result.machine;
  const MachineUse& use = result.machine_use;
  BenchDocument document{
      .complete = is_complete(result),
      .interrupted = result.interrupted,
      .run_id = result.run_id,
      .command = result.command,
      .server = result.server,
      .machine = {machine.cpu, machine.cores, machine.kernel, machine.memory_bytes},
      .machine_use = {known(use.other_cpu_percent), known(use.stolen_percent),
                      known(use.load_before)},
      .policy = {document_of(result.policy.rules)},
      .connections = result.connections,
      .pipeline = result.pipeline,
      .threads = result.threads > 1 ? Number(result.threads) : Number(),
      .wait = result.wait_replicas > 0 ? Number(result.wait_replicas) : Number(),
      .keys = result.keys,
      .duration_us = result.duration_us,
      .requests = result.requests,
      .rate_per_s = result.rate_per_s,
      .clock = result.on_virtual_time ? "virtual" : "wall",
      .seconds = result.seconds,
      .problem = result.problem.what};
  for (const AlgorithmResult& algorithm : result.algorithms)
    document.algorithms.push_back(document_of(algorithm));
  return document;
}

}  // namespace rlctl
