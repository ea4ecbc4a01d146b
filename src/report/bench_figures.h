// Figures that all bench reports share: one figure computed from all rounds. Pure.
#pragma once

#include <optional>
#include <span>

#include "result/bench_result.h"

namespace rlctl {

// The median over the rounds, and the largest distance of a round from it, in percent of it.
struct Figure {
  double median = 0;
  double spread_percent = 0;
};

template <typename Value>
std::optional<Figure> figure(std::span<const SpeedRound> rounds, Value value_of) {
  if (rounds.empty()) return std::nullopt;
  std::vector<double> values;
  for (const SpeedRound& round : rounds) values.push_back(value_of(round));
  const Spread range = spread(values);
  Figure result{median(values), 0};
  if (result.median > 0)
    result.spread_percent =
        100 * std::max(range.max - result.median, result.median - range.min) / result.median;
  return result;
}

// The rounds of `denied`; none if all that it asked was admitted: there are no denials to measure.
std::span<const SpeedRound> denials(const AlgorithmResult& result);

// Not if only the accuracy was measured.
bool measures_speed(const BenchResult& bench);

// The medians over the rounds, by master of a cluster; empty for a single server, and if the
// masters changed between the rounds.
std::vector<NodeLoad> node_medians(const std::vector<SpeedRound>& rounds);

// Decisions of the busiest master over the mean of all: 1 is even.
double skew_of(const std::vector<NodeLoad>& nodes);

// Of one core; empty if the nodes are not known.
std::optional<double> busiest_cpu_percent(const std::vector<NodeLoad>& nodes);

// The attack with the highest peak; null if there are no attacks.
const AttackResult* worst_attack(const AlgorithmResult& result);

// The lowest over the attacks; empty if there are none.
struct Accuracy {
  double low = 100;
  double high = 100;
};
std::optional<Accuracy> accuracy(const AlgorithmResult& result);

}  // namespace rlctl
