#include "verdict/algorithm/log_facts.h"

#include <algorithm>

namespace rlctl {

LogFacts::LogFacts(const Log& log, std::int64_t late_after_us, std::int64_t grain_us)
    : has_actual_costs(std::ranges::any_of(
          log.finishes, [](const Finish& finish) { return finish.actual_cost >= 0; })),
      targets(counts_by_target(log)),
      clock(log, grain_us) {
  for (const Record& record : log.records) add_operation(record, late_after_us);
}

void LogFacts::add(const Record& record, const Finish& finish, std::int64_t late_after_us) {
  has_actual_costs = has_actual_costs || finish.actual_cost >= 0;
  if (!targets.empty()) targets.at(record.target).add(record);
  if (!clock.by_key) clock.add(record);
  add_operation(record, late_after_us);
}

void LogFacts::add_operation(const Record& record, std::int64_t late_after_us) {
  // An answer that was cut short has a status, which says nothing.
  const int status = record.received_us == kNoTime ? 0 : record.status;
  any_status = any_status || status != 0;
  if (record.outcome == Outcome::failed) {
    ++failed;
    return;
  }
  ++operations;
  allowed += record.outcome == Outcome::allowed;
  denied += record.outcome == Outcome::denied;
  if (record.outcome == Outcome::unknown) {
    ++unknown;
    ++unknown_by_status[status];
  }
  late += sent_late(record, late_after_us);
  add_times(record);
}

void LogFacts::add_times(const Record& record) {
  const bool is_stamped = record.server_us != kNoTime;
  const std::int64_t at_us = is_stamped ? record.server_us : record.sent_us;
  from_us = std::min(from_us, at_us);
  to_us = std::max(to_us, at_us);
  if (is_stamped) first_stamp_us = std::min(first_stamp_us, record.server_us);
  if (record.received_us != kNoTime)
    first_answer_us = std::min(first_answer_us, record.received_us);
}

void LogFacts::join(const LogFacts& other) {
  operations += other.operations;
  failed += other.failed;
  allowed += other.allowed;
  denied += other.denied;
  unknown += other.unknown;
  late += other.late;
  for (const auto& [status, count] : other.unknown_by_status) unknown_by_status[status] += count;
  any_status = any_status || other.any_status;
  has_actual_costs = has_actual_costs || other.has_actual_costs;
  targets.resize(std::max(targets.size(), other.targets.size()));
  for (std::size_t i = 0; i < other.targets.size(); ++i) targets[i].join(other.targets[i]);
  clock.join(other.clock);
  from_us = std::min(from_us, other.from_us);
  to_us = std::max(to_us, other.to_us);
  first_stamp_us = std::min(first_stamp_us, other.first_stamp_us);
  first_answer_us = std::min(first_answer_us, other.first_answer_us);
  most_in_flight = std::max(most_in_flight, other.most_in_flight);
}

}  // namespace rlctl
