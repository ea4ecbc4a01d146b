#include "run/bench/bench_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/clock.h"
#include "io/redis/deployment/hash_slot.h"

namespace rlctl {
namespace {

// The denied traffic needs full keys: several, unless it takes too long to fill them.
constexpr std::int64_t kDeniedKeys = 10;
constexpr std::int64_t kMostFillings = 200'000;

std::int64_t denied_keys(std::int64_t limit) {
  return std::clamp<std::int64_t>(kMostFillings / limit, 1, kDeniedKeys);
}

std::vector<SpeedRound>& rounds_of(AlgorithmResult& result, Mix mix) {
  if (mix == Mix::admitted) return result.admitted;
  if (mix == Mix::denied) return result.denied;
  return mix == Mix::one_slot ? result.one_slot : result.one_key;
}

}  // namespace

const char* name_of(Mix mix) {
  if (mix == Mix::admitted) return "admitted";
  if (mix == Mix::denied) return "denied";
  return mix == Mix::one_slot ? "one slot" : "one key";
}

// This thread is number 0.
std::int64_t BenchRun::users_of(std::size_t thread) const {
  const Shard share{static_cast<std::uint32_t>(thread + 1),
                    static_cast<std::uint32_t>(plan_.threads)};
  return share.share_of(plan_.connections);
}

void BenchRun::start_threads() {
  const auto timers = plan_.rate_per_s ? Loop::Timers::precise : Loop::Timers::coarse;
  for (std::int64_t i = 1; i < plan_.threads; ++i)
    threads_.push_back(std::make_unique<BenchThread>(timers));
}

std::string BenchRun::own_name(const std::string& name) const {
  std::string own = name;
  const auto is_taken = [&](const AlgorithmResult& other) { return other.name == own; };
  for (std::size_t same = 2; std::ranges::any_of(result_.algorithms, is_taken); ++same)
    own = fmt::format("{}#{}", name, same);
  return own;
}

void BenchRun::add_result(const std::string& name) {
  result_.algorithms.emplace_back();
  result_.algorithms.back().name = name;
}

std::vector<SpeedPlayer> BenchRun::players(Contestant& contestant, std::size_t number) {
  std::vector<SpeedPlayer> players{{loop_, contestant, records_}};
  for (const auto& thread : threads_) players.push_back(thread->player(number));
  return players;
}

void BenchRun::begin_step(std::string what) {
  progress_.what = std::move(what);
  progress_.records = threads_.empty() ? &records_ : nullptr;
}

void BenchRun::add_origin(Log& log) const {
  log.run_id = plan_.run_id;
  log.command = plan_.command;
  log.version = plan_.version;
  log.server = result_.server;
}

void BenchRun::log_records(const Contestant& contestant, const char* phase,
                           const std::vector<std::string>& keys) {
  if (!sink_) return;
  Log log = empty_log(contestant, plan_.policy);
  log.phases = {phase};
  add_origin(log);
  log.keys = keys;
  log.records = std::move(records_);
  sink_(log);
  records_ = std::move(log.records);
}

Task<> BenchRun::exhaust(std::size_t number, const BenchClients& clients, BenchProblem& problem) {
  SteadyPlan fill;
  fill.keys = static_cast<std::uint32_t>(clients.keys.size());
  fill.requests = static_cast<std::int64_t>(clients.keys.size()) *
                  std::max(plan_.policy.limit, plan_.policy.bucket_capacity());
  const auto filling = players(contestant(number), number);
  co_await measure_speed(control(), filling, fill, clients, problem, on_loss());
}

SteadyPlan BenchRun::steady_plan(std::size_t keys) const {
  SteadyPlan plan;
  plan.keys = static_cast<std::uint32_t>(keys);
  plan.requests = plan_.requests;
  if (!plan_.requests) plan.duration_us = plan_.duration_us;
  plan.rate_per_s = plan_.rate_per_s;
  return plan;
}

Task<> BenchRun::measure(std::size_t number, std::int64_t round, Mix mix) {
  Contestant& contestant = this->contestant(number);
  const char* name = name_of(mix);
  begin_step(
      fmt::format("{}, round {} of {}, {}", contestant.name(), round + 1, plan_.rounds, name));
  const std::string group = fmt::format("{}{}", name, round);
  const std::int64_t several = mix == Mix::denied ? denied_keys(plan_.policy.limit) : plan_.keys;
  const BenchClients clients =
      clients_of(contestant, mix == Mix::one_slot ? in_hash_tag(group) : group,
                 mix == Mix::one_key ? 1 : several);
  BenchProblem problem;
  if (mix == Mix::denied) {
    co_await exhaust(number, clients, problem);
    // The admissions that explain the following denials.
    log_records(contestant, "fill", clients.keys);
  }
  if (!stopped() && problem.empty()) {
    const auto playing = players(contestant, number);
    SpeedRound measured = co_await measure_speed(
        control(), playing, steady_plan(clients.keys.size()), clients, problem, on_loss());
    complete(measured, clients.keys);
    // An interrupted measurement does not count.
    AlgorithmResult& result = result_.algorithms[number];
    if (!stopped() && problem.empty()) rounds_of(result, mix).push_back(measured);
    log_records(contestant, name, clients.keys);
  }
  ++progress_.steps_done;
  co_await settle(number, std::move(problem));
  co_await clear(contestant, clients.keys);
}

Task<> BenchRun::warm_up(std::size_t number) {
  Contestant& contestant = this->contestant(number);
  begin_step(contestant.name() + ", warming up");
  const BenchClients clients = clients_of(contestant, "warm", 100);
  SteadyPlan plan;
  plan.keys = static_cast<std::uint32_t>(clients.keys.size());
  plan.duration_us = plan_.warm_up_us;
  BenchProblem problem;
  const auto playing = players(contestant, number);
  co_await measure_speed(control(), playing, plan, clients, problem, on_loss());
  co_await settle(number, std::move(problem));
  co_await clear(contestant, clients.keys);
}

Task<> BenchRun::measure_round(std::size_t number, std::int64_t round) {
  if (plays(number)) co_await before_round(number, round);
  for (const Mix mix : mixes_of(number))
    if (plays(number)) co_await measure(number, round, mix);
}

Task<> BenchRun::measure_all() {
  for (std::size_t i = 0; i < contestants(); ++i)
    if (plays(i) && plan_.warm_up_us > 0) co_await warm_up(i);
  for (std::int64_t round = 0; round < plan_.rounds && !stopped(); ++round)
    for (std::size_t i = 0; i < contestants(); ++i) co_await measure_round(i, round);
}

Task<> BenchRun::finish_attack(std::size_t number, AttackRun& run) {
  AlgorithmResult& result = result_.algorithms[number];
  const auto named = [&](const BenchProblem& one) {
    return BenchProblem{fmt::format("{}: {}", result.name, one.what), one.hint};
  };
  ++progress_.steps_done;
  add_origin(run.log);
  if (loop_.interrupted()) run.log.stopped = kInterrupted;
  if (sink_) sink_(run.log);
  BenchProblem problem;
  if (!run.problem.empty()) problem = named(run.problem);
  co_await settle(number, std::move(problem));
  const bool is_away = !run.lost.empty() && !co_await reconnect();
  if (is_away && result_.problem.empty()) result_.problem = named(run.lost);
  // An incomplete attack is judged too, and reported as incomplete (interrupted, complete: false).
  if (!run.log.records.empty()) judge_attack(run, result);
  co_await clear(*run.contestant, run.log.keys);
}

void BenchRun::note_use_by_others(const CoreTimes& before, std::int64_t own_us) {
  const auto after = read_core_times();
  if (!after) return;
  const MachineUse use = use_between(before, *after, own_us);
  result_.machine_use.other_cpu_percent = use.other_cpu_percent;
  result_.machine_use.stolen_percent = use.stolen_percent;
}

void BenchRun::describe_plan() {
  result_.policy = plan_.policy;
  result_.run_id = plan_.run_id;
  result_.command = plan_.command;
  result_.connections = plan_.connections;
  result_.pipeline = plan_.pipeline;
  result_.threads = plan_.threads;
  result_.wait_replicas = plan_.wait.replicas;
  result_.keys = plan_.keys;
  result_.duration_us = plan_.requests ? 0 : plan_.duration_us;
  result_.requests = plan_.requests.value_or(0);
  result_.rate_per_s = plan_.rate_per_s.value_or(0);
}

Task<BenchResult> BenchRun::run() {
  const std::int64_t started_us = now_us();
  describe_plan();
  co_await open();
  result_.machine = read_machine();
  result_.machine_use.load_before = read_load();
  const auto cores_before = read_core_times();
  const std::optional<std::int64_t> own_before_us = co_await own_cpu_us();
  for (std::size_t i = 0; i < contestants(); ++i)
    progress_.steps += static_cast<std::int64_t>(mixes_of(i).size()) * plan_.rounds + 1;
  if (wants(BenchPart::speed)) co_await measure_all();
  for (std::size_t i = 0; i < contestants() && wants(BenchPart::speed); ++i)
    if (plays(i)) co_await weigh(i);
  if (wants(BenchPart::accuracy)) co_await attack_all();
  co_await close();
  const std::optional<std::int64_t> own_after_us = co_await own_cpu_us();
  if (own_before_us && own_after_us && cores_before)
    note_use_by_others(*cores_before, *own_after_us - *own_before_us);
  result_.interrupted = loop_.interrupted();
  result_.seconds = static_cast<double>(now_us() - started_us) / 1e6;
  co_return std::move(result_);
}

}  // namespace rlctl
