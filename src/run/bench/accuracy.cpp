#include "run/bench/accuracy.h"

#include <algorithm>

#include "arrivals/attack.h"
#include "limiter/limiter.h"
#include "run/drive.h"
#include "run/policy_play.h"

namespace rlctl {
namespace {

std::vector<Arrival> plan_all(const Policy& policy, std::int64_t start_us) {
  std::vector<Arrival> plan;
  for (std::uint32_t i = 0; i < std::size(kAttacks); ++i) {
    const auto part = plan_attack(kAttacks[i], policy, start_us, i);
    plan.insert(plan.end(), part.begin(), part.end());
  }
  for (Arrival& arrival : plan) arrival.phase = static_cast<std::uint8_t>(arrival.key);
  std::stable_sort(plan.begin(), plan.end(), [](const Arrival& a, const Arrival& b) {
    return a.intended_us < b.intended_us;
  });
  return plan;
}

std::int64_t span_us(const Log& log, const WorstWindow& window) {
  if (window.records.empty()) return 0;
  const auto time_of = [&](std::uint32_t index) {
    const Record& record = log.records[index];
    return record.server_us != kNoTime ? record.server_us : record.received_us;
  };
  return time_of(window.records.back()) - time_of(window.records.front());
}

// A request that got no answer is unknown, and the others go on. A script that fails, or never
// decides, is no limiter.
void take_problem(const Drive& drive, AttackRun& run) {
  const bool decided = std::ranges::any_of(
      run.log.records, [](const Record& record) { return record.outcome <= Outcome::denied; });
  (drive.script_failed || !decided ? run.problem : run.lost) = drive.problem;
}

// Requests that were sent so late that they may have missed the window edge they were planned for.
std::int64_t late_sends(const Log& log, std::uint32_t key) {
  return std::count_if(log.records.begin(), log.records.end(), [&](const Record& record) {
    return record.key == key && record.sent_us != kNoTime &&
           record.sent_us - record.intended_us > log.policy.window_us / 20;
  });
}

}  // namespace

AttackRun prepare_attack(Contestant& contestant, const Policy& policy,
                         const std::string& key_prefix) {
  AttackRun run;
  run.contestant = &contestant;
  run.log.algorithm = contestant.name();
  run.log.policy = policy;
  run.log.contract = contestant.script().manifest.promises(policy.numbers());
  run.log.tolerance_us = tolerance_us_of(contestant.script().manifest);
  for (const Attack attack : kAttacks) {
    run.log.keys.push_back(key_prefix + name_of(attack));
    run.log.phases.push_back(name_of(attack));
  }
  return run;
}

Task<> attack_on_wall_clock(Loop& loop, std::span<AttackRun* const> runs, std::int64_t start_us) {
  std::vector<PlannedTraffic> traffic;
  std::vector<Drive> drives;
  WallClock clock(loop);
  traffic.reserve(runs.size());
  drives.reserve(runs.size());
  for (AttackRun* const run : runs) {
    traffic.emplace_back(plan_all(run->log.policy, start_us));
    drives.push_back({clock,
                      traffic.back(),
                      run->contestant->users(),
                      run->log.keys,
                      {},
                      run->log.records,
                      OnLoss::go_on});
  }
  for (Drive& drive : drives) spawn_users(drive);
  co_await loop.join();
  for (std::size_t i = 0; i < runs.size(); ++i) take_problem(drives[i], *runs[i]);
}

Task<> attack_on_virtual_clock(Loop& loop, Redis& redis, AttackRun& run, std::int64_t start_us) {
  ScriptCall call(run.contestant->script(), run.log.policy, TimeSource::virtual_time);
  const std::unique_ptr<Limiter> limiter = make_limiter(redis, call);
  Limiter* const users[] = {limiter.get()};
  VirtualClock clock(loop, start_us);
  PlannedTraffic traffic(plan_all(run.log.policy, start_us));
  Drive drive{clock, traffic, users, run.log.keys, {}, run.log.records, OnLoss::go_on};
  spawn_users(drive);
  co_await loop.join();
  take_problem(drive, run);
}

void judge_attack(const AttackRun& run, AlgorithmResult& result) {
  JudgeOptions options;
  options.fresh = true;
  options.tolerance_us = run.log.tolerance_us;
  result.verdict = judge(run.log, options);
  for (const KeyFigures& key : result.verdict->policy.keys) {
    AttackResult attack;
    attack.attack = kAttacks[key.key];
    attack.attempts = key.figures.operations;
    attack.late = late_sends(run.log, key.key);
    attack.worst_span_us = span_us(run.log, key.figures.worst_window);
    attack.figures = key.figures;
    result.attacks.push_back(std::move(attack));
  }
  std::sort(result.attacks.begin(), result.attacks.end(),
            [](const AttackResult& a, const AttackResult& b) { return a.attack < b.attack; });
}

}  // namespace rlctl
