#include "run/bench/accuracy.h"

#include <algorithm>

#include "arrivals/attack.h"
#include "limiter/limiter.h"
#include "run/drive.h"
#include "run/policy_play.h"

namespace rlctl {
namespace {

std::vector<Arrival> plan_all(const AttackRun& run, std::int64_t start_us,
                              std::span<const Attack> attacks) {
  const std::int64_t hammered = run.contestant->is_service() ? kHammerOfService : kHammerOfScript;
  std::vector<Arrival> plan;
  for (const Attack attack : attacks) {
    const auto part =
        plan_attack(attack, run.log.policy, start_us, static_cast<std::uint32_t>(attack), hammered);
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
  const bool failed = drive.script_failed && !run.contestant->is_service();
  (failed || !decided ? run.problem : run.lost) = problem_of(*run.contestant, drive);
}

// Requests that were sent so late that they may have missed the window edge they were planned for.
std::int64_t late_sends(const Log& log, std::uint32_t key) {
  return std::count_if(log.records.begin(), log.records.end(), [&](const Record& record) {
    return record.key == key && record.sent_us != kNoTime &&
           record.sent_us - record.intended_us > log.policy.window_us / 20;
  });
}

// A service answered, but not with a status that says what it decided.
void add_undecided(const Log& log, std::map<int, std::int64_t>& by_status) {
  for (const Record& record : log.records)
    if (record.outcome == Outcome::unknown && record.received_us != kNoTime && record.status != 0)
      ++by_status[record.status];
}

}  // namespace

Log empty_log(const Contestant& contestant, const Policy& policy) {
  Log log;
  log.algorithm = contestant.name();
  log.policy = policy;
  log.contract = contestant.contract();
  log.terms.tolerance_us = contestant.tolerance_us();
  // Nobody finishes in a bench, so whoever holds something vanishes with it.
  log.has_finishes = contestant.users().front()->has_finish();
  log.terms.fresh = !contestant.is_service();  // a service may know these clients from elsewhere
  return log;
}

AttackRun prepare_attack(Contestant& contestant, const Policy& policy,
                         const std::string& key_prefix) {
  AttackRun run;
  run.contestant = &contestant;
  run.log = empty_log(contestant, policy);
  for (const Attack attack : kAttacks) {
    run.log.keys.push_back(key_prefix + name_of(attack));
    run.log.phases.push_back(name_of(attack));
  }
  return run;
}

Task<> attack_on_wall_clock(Loop& loop, std::span<AttackRun* const> runs, std::int64_t start_us,
                            std::span<const Attack> attacks) {
  std::vector<PlannedTraffic> traffic;
  std::vector<Drive> drives;
  WallClock clock(loop);
  traffic.reserve(runs.size());
  drives.reserve(runs.size());
  for (AttackRun* const run : runs) {
    traffic.emplace_back(plan_all(*run, start_us, attacks));
    drives.push_back({clock, traffic.back(), run->contestant->users(), run->log.keys,
                      run->identities, run->log.records, OnLoss::go_on});
  }
  for (Drive& drive : drives) spawn_users(drive);
  co_await loop.join();
  for (std::size_t i = 0; i < runs.size(); ++i) take_problem(drives[i], *runs[i]);
}

Task<> attack_on_virtual_clock(Loop& loop, Redis& redis, AttackRun& run, const Script& script,
                               std::int64_t start_us) {
  ScriptCall call(script, run.log.policy, TimeSource::virtual_time);
  const std::unique_ptr<Limiter> limiter = make_limiter(redis, call);
  Limiter* const users[] = {limiter.get()};
  VirtualClock clock(loop, start_us);
  PlannedTraffic traffic(plan_all(run, start_us, kAttacks));
  Drive drive{clock, traffic, users, run.log.keys, {}, run.log.records, OnLoss::go_on};
  spawn_users(drive);
  co_await loop.join();
  take_problem(drive, run);
}

void judge_attack(const AttackRun& run, AlgorithmResult& result) {
  result.verdict = judge(run.log, JudgeOptions(run.log.terms));
  add_undecided(run.log, result.undecided);
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
