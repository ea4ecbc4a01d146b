#include "report/bench_json.h"

#include <algorithm>

#include "report/bench_figures.h"

namespace rlctl {
namespace {

using Json = nlohmann::ordered_json;

Json latency_json(const LatencySummary& latency) {
  return {{"mean", latency.mean}, {"p50", latency.p50}, {"p90", latency.p90},
          {"p95", latency.p95},   {"p99", latency.p99}, {"p999", latency.p999},
          {"max", latency.max}};
}

Json round_json(const SpeedRound& round) {
  return {{"decisions", round.decisions},
          {"allowed", round.allowed},
          {"unanswered", round.unanswered},
          {"seconds", round.seconds},
          {"decisions_per_second", round.decisions_per_second},
          {"latency_us", latency_json(round.latency_us)},
          {"server_cpu_us_per_decision", round.server_cpu_us_per_decision},
          {"client_cpu_us_per_decision", round.client_cpu_us_per_decision},
          {"redis_cpu_percent", round.redis_cpu_percent}};
}

template <typename Value>
Json median_json(const std::vector<SpeedRound>& rounds, Value value_of) {
  const auto shown = figure(rounds, value_of);
  return shown ? Json(shown->median) : Json(nullptr);
}

// Each percentile's median over the rounds.
Json median_latency_json(const std::vector<SpeedRound>& rounds) {
  Json json;
  const auto add = [&](const char* name, auto LatencySummary::*part) {
    json[name] = median_json(
        rounds, [part](const SpeedRound& r) { return static_cast<double>(r.latency_us.*part); });
  };
  add("mean", &LatencySummary::mean);
  add("p50", &LatencySummary::p50);
  add("p90", &LatencySummary::p90);
  add("p95", &LatencySummary::p95);
  add("p99", &LatencySummary::p99);
  add("p999", &LatencySummary::p999);
  add("max", &LatencySummary::max);
  return json;
}

void put_speed(Json& json, const std::vector<SpeedRound>& rounds) {
  json["decisions_per_second"] =
      median_json(rounds, [](const SpeedRound& r) { return r.decisions_per_second; });
  json["latency_us"] = median_latency_json(rounds);
  json["server_cpu_us_per_decision"] =
      median_json(rounds, [](const SpeedRound& r) { return r.server_cpu_us_per_decision; });
  json["client_cpu_us_per_decision"] =
      median_json(rounds, [](const SpeedRound& r) { return r.client_cpu_us_per_decision; });
  json["redis_cpu_percent"] =
      median_json(rounds, [](const SpeedRound& r) { return r.redis_cpu_percent; });
}

Json rounds_json(const std::vector<SpeedRound>& rounds) {
  Json json = Json::array();
  for (const SpeedRound& round : rounds) json.push_back(round_json(round));
  return json;
}

Json attack_json(const AttackResult& attack) {
  const Figures& figures = attack.figures;
  return {{"name", name_of(attack.attack)},
          {"attempts", attack.attempts},
          {"late", attack.late},
          {"allowed", figures.allowed},
          {"denied", figures.denied},
          {"accuracy_low", figures.accuracy_low},
          {"accuracy_high", figures.accuracy_high},
          {"peak", figures.peak},
          {"burst_factor", figures.burst_factor},
          {"worst_span_us", attack.worst_span_us},
          {"excess_certain", figures.excess_certain},
          {"certain_false_denials", figures.certain_false_denials.size()}};
}

void put_attacks(Json& json, const AlgorithmResult& result) {
  json["attacks"] = Json::array();
  for (const AttackResult& attack : result.attacks) json["attacks"].push_back(attack_json(attack));
  const auto lowest = accuracy(result);
  const AttackResult* worst = worst_attack(result);
  json["accuracy_low"] = lowest ? Json(lowest->low) : Json(nullptr);
  json["accuracy_high"] = lowest ? Json(lowest->high) : Json(nullptr);
  json["peak"] = worst != nullptr ? Json(worst->figures.peak) : Json(nullptr);
  json["burst_factor"] = worst != nullptr ? Json(worst->figures.burst_factor) : Json(nullptr);
  const bool promises = result.verdict && result.verdict->own;
  json["own_contract"] = promises ? Json(name_of(result.verdict->own->verdict)) : Json(nullptr);
  json["policy_verdict"] =
      result.verdict ? Json(name_of(result.verdict->policy.verdict)) : Json(nullptr);
  if (!result.not_attacked.empty()) json["not_attacked"] = result.not_attacked;
  if (!result.remark.empty()) json["remark"] = result.remark;
  if (!result.failed.empty()) json["failed"] = result.failed;
}

Json algorithm_json(const AlgorithmResult& result) {
  Json json{{"name", result.name}};
  put_speed(json, result.admitted);
  json["bytes_per_key"] = result.bytes_per_key;
  put_attacks(json, result);
  json["rounds"] = rounds_json(result.admitted);
  Json denied;
  put_speed(denied, result.denied);
  denied["rounds"] = rounds_json(result.denied);
  json["denied"] = std::move(denied);
  if (!result.yardstick.empty())
    json["yardstick"] = {{"name", result.yardstick_name},
                         {"rounds", rounds_json(result.yardstick)}};
  return json;
}

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"kernel", machine.kernel},
          {"memory_bytes", machine.memory_bytes}};
}

Json known(double value) { return value < 0 ? Json(nullptr) : Json(value); }

Json machine_use_json(const MachineUse& use) {
  return {{"other_cpu_percent", known(use.other_cpu_percent)},
          {"stolen_percent", known(use.stolen_percent)},
          {"load_before", known(use.load_before)}};
}

}  // namespace

nlohmann::ordered_json bench_json(const BenchResult& result) {
  const bool failed =
      std::any_of(result.algorithms.begin(), result.algorithms.end(),
                  [](const AlgorithmResult& algorithm) { return !algorithm.failed.empty(); });
  Json json{{"complete", !result.interrupted && result.problem.empty() && !failed},
            {"interrupted", result.interrupted},
            {"run_id", result.run_id},
            {"command", result.command},
            {"server", result.server},
            {"machine", machine_json(result.machine)},
            {"machine_use", machine_use_json(result.machine_use)},
            {"policy", {{"limit", result.policy.limit}, {"window_us", result.policy.window_us}}},
            {"connections", result.connections},
            {"pipeline", result.pipeline},
            {"keys", result.keys},
            {"duration_us", result.duration_us},
            {"requests", result.requests},
            {"rate_per_s", result.rate_per_s},
            {"clock", result.on_virtual_time ? "virtual" : "wall"},
            {"seconds", result.seconds}};
  if (!result.problem.empty()) json["problem"] = result.problem;
  json["algorithms"] = Json::array();
  for (const AlgorithmResult& algorithm : result.algorithms)
    json["algorithms"].push_back(algorithm_json(algorithm));
  return json;
}

}  // namespace rlctl
