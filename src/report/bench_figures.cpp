#include "report/bench_figures.h"

#include <fmt/format.h>

#include <algorithm>

namespace rlctl {

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
