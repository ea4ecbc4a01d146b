#include "log/target_counts.h"

namespace rlctl {

void TargetCounts::add(const Record& record) {
  ++requests;
  allowed += record.outcome == Outcome::allowed;
  denied += record.outcome == Outcome::denied;
  unknown += record.outcome == Outcome::unknown;
  failed += record.outcome == Outcome::failed;
}

void TargetCounts::join(const TargetCounts& other) {
  target = other.target;
  requests += other.requests;
  allowed += other.allowed;
  denied += other.denied;
  unknown += other.unknown;
  failed += other.failed;
}

std::vector<TargetCounts> counts_by_target(const Log& log) {
  std::vector<TargetCounts> counts;
  if (log.targets.size() < 2) return counts;
  for (const std::string& target : log.targets) counts.push_back({.target = target});
  for (const Record& record : log.records) counts.at(record.target).add(record);
  return counts;
}

}  // namespace rlctl
