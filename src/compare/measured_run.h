// A result or a log as `compare` sees it: for each algorithm or policy its figures, by round where
// there were rounds, and the circumstances under which they were measured. Plain values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/metric.h"

namespace rlctl {

// One figure of one subject under one kind of traffic.
struct MeasuredFigure {
  std::string subject;  // the algorithm or the policy
  std::string traffic;  // "admitted", "denied"; empty where there is only one
  const ComparedMetric* metric = nullptr;
  std::vector<double> rounds;     // of a metric by_round; all positive
  std::vector<double> yardstick;  // the yardstick's figure in the same rounds; empty: none
  double low = 0;                 // of one that is known once; low < high: it lies in between
  double high = 0;
};

// "server" and "redis 7.0.15": what should be alike in both, and is said where it is not.
using Circumstance = std::pair<std::string, std::string>;

struct MeasuredRun {
  std::string path;
  std::string kind;  // "bench", "run", "verify", "simulate" or "log"
  bool complete = true;
  std::string yardstick;         // its name; empty: there was none
  double other_cpu_percent = 0;  // of the machine, taken by others meanwhile; 0: little or unknown
  std::vector<Circumstance> circumstances;
  std::vector<std::pair<std::string, std::string>> verdicts;  // subject and verdict
  std::vector<MeasuredFigure> figures;
  std::vector<std::string> notes;  // sentences without a final stop
};

}  // namespace rlctl
