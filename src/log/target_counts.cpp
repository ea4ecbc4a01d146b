#include "log/target_counts.h"

namespace rlctl {

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
  for (const Record& record : log.records) {
    TargetCounts& count = counts.at(record.target);
    ++count.requests;
    count.allowed += record.outcome == Outcome::allowed;
    count.denied += record.outcome == Outcome::denied;
    count.unknown += record.outcome == Outcome::unknown;
    count.failed += record.outcome == Outcome::failed;
  }
  return counts;
}

}  // namespace rlctl
