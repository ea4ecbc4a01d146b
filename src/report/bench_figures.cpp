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

std::string format_percent(double percent) {
  if (percent >= 100) return "100";
  for (int digits = 1; digits < 6; ++digits) {
    const std::string text = fmt::format("{:.{}f}", percent, digits);
    if (!text.starts_with("100")) return text;
  }
  return "99.99999";
}

std::string format_accuracy(double low, double high) {
  const std::string from = format_percent(low);
  const std::string to = format_percent(high);
  return from == to ? from : from + " to " + to;
}

}  // namespace rlctl
