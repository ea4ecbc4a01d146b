#include "run/bench/speed.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>

#include "io/clock.h"
#include "io/redis/server_info.h"
#include "run/drive.h"

namespace rlctl {
namespace {

// 64 MB of records. If a measurement needs more, which is rare, the vector grows during it.
constexpr double kMostPrepared = 1 << 20;
// Decisions per second: more than one Redis core can do. Used if the traffic has no fixed rate.
constexpr double kFastest = 250'000;
// So much later begins an open loop on several threads: until then, all of them are running.
constexpr std::int64_t kThreadStartUs = 1'000;

double records_at_most(const SteadyPlan& plan) {
  if (plan.requests) return static_cast<double>(*plan.requests);
  const double seconds = static_cast<double>(plan.duration_us.value_or(0)) / 1e6;
  return plan.rate_per_s.value_or(kFastest) * seconds;
}

// Empties the vector and touches its memory before the measurement: page faults and the copies of a
// growing vector took an eighth of the client's CPU during a measurement.
void prepare(std::vector<Record>& records, const SteadyPlan& plan, std::size_t players) {
  const double most = std::min(kMostPrepared, records_at_most(plan));
  const auto wanted = static_cast<std::size_t>(most) / players + 1;
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

// The part of the traffic that one player plays.
class Part {
 public:
  Part(const SpeedPlayer& player, const SteadyPlan& plan, const BenchClients& clients,
       OnLoss on_loss)
      : loop_(player.loop), clock_(player.loop), traffic_(plan), drive_{clock_,
                                                                        traffic_,
                                                                        player.contestant.users(),
                                                                        clients.keys,
                                                                        clients.identities,
                                                                        player.records,
                                                                        on_loss} {}

  Task<> play() {
    spawn_users(drive_);
    co_await loop_.join();
  }
  // On its thread.
  void run() {
    try {
      loop_.run(play());
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  const Drive& drive() const { return drive_; }

 private:
  Loop& loop_;
  WallClock clock_;
  SteadyTraffic traffic_;
  Drive drive_;
  std::exception_ptr failure_;
};

using Parts = std::vector<std::unique_ptr<Part>>;

Task<> play_all(const Parts& parts) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < parts.size(); ++i)
    threads.emplace_back([part = parts[i].get()] { part->run(); });
  co_await parts.front()->play();
  threads.clear();  // waits for them
  for (const auto& part : parts) part->rethrow();
}

// The records of all, with the first player: as the logs of several machines are read as one.
void merge(std::span<const SpeedPlayer> players) {
  std::vector<Record>& all = players.front().records;
  for (const SpeedPlayer& other : players.subspan(1))
    all.insert(all.end(), other.records.begin(), other.records.end());
}

bool has_decided(const std::vector<Record>& records) {
  return std::ranges::any_of(
      records, [](const Record& record) { return record.outcome <= Outcome::denied; });
}

// Why the round does not count; empty: it does.
BenchProblem why_in_vain(const Parts& parts, const std::vector<Record>& records,
                         const Contestant& contestant) {
  BenchProblem problem;
  bool is_fatal = false;
  for (const auto& part : parts) {
    const Drive& drive = part->drive();
    if (problem.empty()) problem = problem_of(contestant, drive);
    is_fatal |= drive.script_failed || (drive.lost && drive.on_loss == OnLoss::stop);
  }
  if (contestant.is_service()) return has_decided(records) ? BenchProblem() : problem;
  return problem.empty() || (!is_fatal && came_back(records)) ? BenchProblem() : problem;
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

Task<SpeedRound> measure_speed(Redis* control, std::span<const SpeedPlayer> players,
                               SteadyPlan plan, const BenchClients& clients, BenchProblem& problem,
                               OnLoss on_loss) {
  for (const SpeedPlayer& player : players) prepare(player.records, plan, players.size());
  std::vector<ServerCpu> before;
  std::vector<ServerCpu> after;
  if (control != nullptr) before = co_await cpu_by_server(*control);
  const std::int64_t client_before_us = process_cpu_us();
  const std::int64_t started_us = now_us();
  if (players.size() > 1) plan.start_us = started_us + (plan.rate_per_s ? kThreadStartUs : 0);
  Parts parts;
  for (const SpeedPlayer& player : players) {
    plan.shard = {static_cast<std::uint32_t>(parts.size() + 1),
                  static_cast<std::uint32_t>(players.size())};
    parts.push_back(std::make_unique<Part>(player, plan, clients, on_loss));
  }
  co_await play_all(parts);
  const std::int64_t elapsed_us = now_us() - started_us;
  const std::int64_t client_us = process_cpu_us() - client_before_us;
  if (control != nullptr) after = co_await cpu_by_server(*control);
  merge(players);
  const std::vector<Record>& records = players.front().records;
  const Contestant& contestant = players.front().contestant;
  const BenchProblem in_vain = why_in_vain(parts, records, contestant);
  if (problem.empty() && !in_vain.empty())
    problem = {contestant.name() + ": " + in_vain.what, in_vain.hint};
  SpeedRound round = summarize_speed(records, elapsed_us);
  round.client_cpu_us_per_decision = per_decision(client_us, round);
  if (elapsed_us > 0) add_server_cpu(before, after, elapsed_us, round);
  co_return round;
}

}  // namespace rlctl
