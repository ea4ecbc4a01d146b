#include "run/replay.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/escape.h"
#include "log/log_file.h"

namespace rlctl {
namespace {

std::int64_t planned_us(const Record& record) {
  if (record.intended_us != kNoTime) return record.intended_us;
  return record.sent_us != kNoTime ? record.sent_us : record.received_us;
}

}  // namespace

ReplayPlan plan_replay(const std::string& path) {
  const ParsedLogs logs = read_logs(std::span(&path, 1), without_log_options());
  ReplayPlan plan;
  for (const ParsedHistory& history : logs.histories) {
    const auto first_key = static_cast<std::uint32_t>(plan.keys.size());
    for (const std::string& key : history.log.keys) plan.keys.push_back(key);
    for (const Record& record : history.log.records) {
      if (planned_us(record) == kNoTime) continue;
      Arrival arrival;
      arrival.intended_us = planned_us(record);
      arrival.client = first_key + record.key;
      arrival.cost = record.cost;
      plan.arrivals.push_back(arrival);
    }
  }
  if (plan.arrivals.empty())
    throw Error(Exit::usage, "replay: " + in_quotes(path) + " has no request with a time");
  std::ranges::stable_sort(plan.arrivals, {}, &Arrival::intended_us);
  const std::int64_t first_us = plan.arrivals.front().intended_us;
  std::uint32_t number = 0;
  for (Arrival& arrival : plan.arrivals) {
    arrival.intended_us -= first_us;
    arrival.number = number++;
  }
  return plan;
}

}  // namespace rlctl
