// A result or a log as `compare` uses it: the figures of each algorithm or policy (by round, if
// there were rounds) and the conditions of the measurement. Plain values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verdict/condition/metric.h"

namespace rlctl {

// One figure of one subject under one kind of traffic.
struct MeasuredFigure {
  std::string subject;  // the algorithm or the policy
  std::string traffic;  // "admitted", "denied"; empty if there is only one
  const MetricRow* metric = nullptr;
  std::vector<double> rounds;     // if the metric is by_round; all positive
  std::vector<double> yardstick;  // the yardstick's figure in the same rounds; empty: none
  double low = 0;                 // otherwise; low < high: the value lies between them
  double high = 0;
  // Of a run on the virtual clock, which gives the same value again; empty: measured once, so that
  // another value may be chance.
  std::string seed = {};
};

// "server" and "redis 7.0.15": a condition that should be equal in both runs. A difference is
// reported.
using Circumstance = std::pair<std::string, std::string>;

struct MeasuredRun {
  std::string path;
  std::string kind;  // "bench", "run", "verify", "simulate" or "log"
  bool complete = true;
  std::string yardstick;         // its name; empty: none
  double other_cpu_percent = 0;  // CPU used by other programs meanwhile; 0: little or unknown
  std::vector<Circumstance> circumstances;
  std::vector<std::pair<std::string, std::string>> verdicts;  // subject and verdict
  std::vector<MeasuredFigure> figures;
  std::vector<std::string> notes;  // sentences without a final stop
};

}  // namespace rlctl
