#include "report/bench_figures.h"

#include <fmt/format.h>

#include <algorithm>

namespace rlctl {

std::span<const SpeedRound> denials(const AlgorithmResult& result) {
  std::int64_t admitted = 0;
  std::int64_t denied = 0;
  for (const SpeedRound& round : result.denied) {
    admitted += round.allowed;
    denied += round.decisions - round.allowed;
  }
  if (admitted > 0 && denied == 0) return {};
  return result.denied;
}

std::vector<NodeLoad> node_medians(const std::vector<SpeedRound>& rounds) {
  if (rounds.empty()) return {};
  std::vector<NodeLoad> medians = rounds.front().nodes;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    for (const SpeedRound& round : rounds)
      if (round.nodes.size() != medians.size() || round.nodes[i].name != medians[i].name) return {};
    const auto rate = [i](const SpeedRound& round) { return round.nodes[i].decisions_per_second; };
    const auto cpu = [i](const SpeedRound& round) { return round.nodes[i].cpu_percent; };
    medians[i].decisions_per_second = figure(rounds, rate)->median;
    medians[i].cpu_percent = figure(rounds, cpu)->median;
  }
  return medians;
}

std::optional<double> busiest_cpu_percent(const std::vector<NodeLoad>& nodes) {
  if (nodes.empty()) return std::nullopt;
  return std::ranges::max(nodes, {}, &NodeLoad::cpu_percent).cpu_percent;
}

bool measures_speed(const BenchResult& bench) {
  return std::ranges::any_of(bench.algorithms, [](const AlgorithmResult& one) {
    return !one.admitted.empty() || !one.denied.empty();
  });
}

double skew_of(const std::vector<NodeLoad>& nodes) {
  double sum = 0;
  double most = 0;
  for (const NodeLoad& node : nodes) {
    sum += node.decisions_per_second;
    most = std::max(most, node.decisions_per_second);
  }
  return sum > 0 ? most * static_cast<double>(nodes.size()) / sum : 0;
}

const AttackResult* worst_attack(const AlgorithmResult& result) {
  const AttackResult* worst = nullptr;
  for (const AttackResult& attack : result.attacks)
    if (worst == nullptr || attack.figures.peak > worst->figures.peak) worst = &attack;
  return worst;
}

std::optional<Accuracy> accuracy(const AlgorithmResult& result) {
  if (result.attacks.empty()) return std::nullopt;
  Accuracy lowest;
  for (const AttackResult& attack : result.attacks) {
    lowest.low = std::min(lowest.low, attack.figures.accuracy_low);
    lowest.high = std::min(lowest.high, attack.figures.accuracy_high);
  }
  return lowest;
}

}  // namespace rlctl
