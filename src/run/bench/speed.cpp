#include "run/bench/speed.h"

#include <algorithm>

#include "io/clock.h"
#include "io/redis/server_info.h"
#include "run/drive.h"

namespace rlctl {
namespace {

// 64 MB of records. If a measurement needs more, which is rare, the vector grows during it.
constexpr double kMostPrepared = 1 << 20;
// Decisions per second: more than one Redis core can do. Used if the traffic has no fixed rate.
constexpr double kFastest = 250'000;

double records_at_most(const SteadyPlan& plan) {
  if (plan.requests) return static_cast<double>(*plan.requests);
  const double seconds = static_cast<double>(plan.duration_us.value_or(0)) / 1e6;
  return plan.rate_per_s.value_or(kFastest) * seconds;
}

// Empties the vector and touches its memory before the measurement: page faults and the copies of a
// growing vector took an eighth of the client's CPU during a measurement.
void prepare(std::vector<Record>& records, const SteadyPlan& plan) {
  const auto wanted = static_cast<std::size_t>(std::min(kMostPrepared, records_at_most(plan)));
  if (records.capacity() < wanted) records.resize(wanted);
  records.clear();
}

double per_decision(std::int64_t cpu_us, const SpeedRound& round) {
  if (round.decisions == 0) return 0;
  return static_cast<double>(cpu_us) / static_cast<double>(round.decisions);
}

// Nothing if a server does not tell, or if a failover has changed which they are.
void add_server_cpu(const std::vector<ServerCpu>& before, const std::vector<ServerCpu>& after,
                    std::int64_t elapsed_us, SpeedRound& round) {
  std::int64_t all_us = 0;
  std::vector<NodeLoad> nodes;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (before.size() != after.size() || before[i].name != after[i].name || before[i].us < 0 ||
        after[i].us < before[i].us)
      return;
    const std::int64_t us = after[i].us - before[i].us;
    all_us += us;
    const double percent = 100.0 * static_cast<double>(us) / static_cast<double>(elapsed_us);
    nodes.push_back({after[i].name, 0, percent});
    round.redis_cpu_percent += percent;
  }
  round.server_cpu_us_per_decision = per_decision(all_us, round);
  if (nodes.size() > 1) round.nodes = std::move(nodes);
}

// Answers came to requests that were sent after the last one that was lost.
bool came_back(const std::vector<Record>& records) {
  std::int64_t lost_us = kNoTime;
  for (const Record& record : records)
    if (record.outcome == Outcome::failed || record.received_us == kNoTime)
      lost_us = std::max(lost_us, record.intended_us);
  return std::ranges::any_of(records, [&](const Record& record) {
    return record.outcome <= Outcome::denied && record.sent_us > lost_us;
  });
}

bool survived(const Drive& drive) {
  if (drive.problem.empty()) return true;
  if (drive.script_failed || (drive.lost && drive.on_loss == OnLoss::stop)) return false;
  return came_back(drive.records);
}

}  // namespace

SpeedRound summarize_speed(const std::vector<Record>& records, std::int64_t elapsed_us) {
  SpeedRound round;
  std::vector<std::int64_t> latencies_us;
  latencies_us.reserve(records.size());
  std::vector<std::int64_t> lost_us;
  for (const Record& record : records) {
    round.allowed += record.outcome == Outcome::allowed;
    round.unknown += record.outcome == Outcome::unknown;
    if (record.outcome <= Outcome::denied)
      latencies_us.push_back(record.received_us - record.intended_us);
    else
      lost_us.push_back(record.intended_us);
  }
  round.unanswered = static_cast<std::int64_t>(lost_us.size());
  if (!lost_us.empty())
    round.unanswered_span_us = std::ranges::max(lost_us) - std::ranges::min(lost_us);
  round.decisions = static_cast<std::int64_t>(latencies_us.size());
  round.seconds = static_cast<double>(elapsed_us) / 1e6;
  if (elapsed_us > 0)
    round.decisions_per_second = static_cast<double>(round.decisions) / round.seconds;
  round.latency_us = summarize(std::move(latencies_us));
  return round;
}

Task<SpeedRound> measure_speed(Loop& loop, Redis& control, Contestant& contestant, SteadyPlan plan,
                               const std::vector<std::string>& keys, std::vector<Record>& records,
                               std::string& problem, OnLoss on_loss) {
  prepare(records, plan);
  SteadyTraffic traffic(plan);
  WallClock clock(loop);
  Drive drive{clock, traffic, contestant.users(), keys, {}, records, on_loss};
  const std::vector<ServerCpu> before = co_await cpu_by_server(control);
  const std::int64_t client_before_us = process_cpu_us();
  const std::int64_t started_us = now_us();
  spawn_users(drive);
  co_await loop.join();
  const std::int64_t elapsed_us = now_us() - started_us;
  const std::int64_t client_us = process_cpu_us() - client_before_us;
  const std::vector<ServerCpu> after = co_await cpu_by_server(control);
  if (problem.empty() && !survived(drive)) problem = contestant.name() + ": " + drive.problem;
  SpeedRound round = summarize_speed(records, elapsed_us);
  round.client_cpu_us_per_decision = per_decision(client_us, round);
  if (elapsed_us > 0) add_server_cpu(before, after, elapsed_us, round);
  co_return round;
}

}  // namespace rlctl
