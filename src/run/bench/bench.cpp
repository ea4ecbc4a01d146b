#include "run/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compare/run_comparison.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/server_info.h"
#include "limiter/script_limiter.h"
#include "limiter/wrapper.h"
#include "run/bench/accuracy.h"
#include "run/bench/bench_thread.h"
#include "run/bench/machine.h"
#include "run/bench/speed.h"
#include "run/bench/yardstick.h"
#include "run/expiry_probe.h"
#include "run/leftovers.h"
#include "run/policy_play.h"

namespace rlctl {
namespace {

// The denied traffic needs full keys: several, unless it takes too long to fill them.
constexpr std::int64_t kDeniedKeys = 10;
constexpr std::int64_t kMostFillings = 200'000;
// Longer windows are attacked on the virtual clock, if the script supports it.
constexpr std::int64_t kLongestWallWindowUs = 2'000'000;
// With fewer requests in flight, waiting in epoll takes longer than the reply itself.
constexpr std::int64_t kSpinBelow = 4;
constexpr std::int64_t kSpinUs = 200;

std::int64_t denied_keys(std::int64_t limit) {
  return std::clamp<std::int64_t>(kMostFillings / limit, 1, kDeniedKeys);
}

enum class Mix { admitted, denied, one_slot, one_key };

const char* name_of(Mix mix) {
  if (mix == Mix::admitted) return "admitted";
  if (mix == Mix::denied) return "denied";
  return mix == Mix::one_slot ? "one slot" : "one key";
}

std::vector<SpeedRound>& rounds_of(AlgorithmResult& result, Mix mix) {
  if (mix == Mix::admitted) return result.admitted;
  if (mix == Mix::denied) return result.denied;
  return mix == Mix::one_slot ? result.one_slot : result.one_key;
}

// Which node decided follows from the slot of the key.
void add_shares(const ClusterMap& map, const std::vector<std::string>& keys,
                const std::vector<Record>& records, SpeedRound& round) {
  std::vector<std::int64_t> decisions(map.shards.size() + 1);
  for (const Record& record : records)
    if (record.outcome <= Outcome::denied)
      ++decisions[std::min<std::size_t>(map.owner[slot_of(keys[record.key])], map.shards.size())];
  for (NodeLoad& node : round.nodes)
    for (std::size_t shard = 0; shard < map.shards.size(); ++shard)
      if (map.shards[shard].master.text() == node.name && round.seconds > 0)
        node.decisions_per_second = static_cast<double>(decisions[shard]) / round.seconds;
}

class Bench {
 public:
  Bench(Loop& loop, Deployment& redis, const BenchPlan& plan, BenchProgress& progress,
        const LogSink& sink)
      : loop_(loop),
        redis_(redis),
        plan_(plan),
        progress_(progress),
        sink_(sink),
        control_(redis.client()) {}

  Task<BenchResult> run();

 private:
  Task<> connect();
  std::int64_t users_of(std::size_t thread) const;
  void start_threads();
  std::unique_ptr<Contestant> enter(const std::string& name, const Script& script,
                                    const ReplicaWait& wait);
  std::vector<SpeedPlayer> players(Contestant& contestant, std::size_t number);
  std::string own_name(const Script& script) const;
  Task<> load_scripts();
  Task<> load(std::size_t contestant);
  Task<> load_yardstick();
  Task<> warm_up(std::size_t contestant);
  Task<> measure_both(std::size_t contestant, std::int64_t round);
  Task<> measure_all();
  Task<> measure(std::size_t contestant, std::int64_t round, Mix mix);
  Task<> measure_yardstick(std::size_t contestant, std::int64_t round);
  SteadyPlan steady_plan(std::size_t keys) const;
  Task<> exhaust(std::size_t contestant, const std::vector<std::string>& keys,
                 std::string& problem);
  Task<bool> reconnect();
  Task<> settle(std::size_t contestant, std::string problem);
  Task<> weigh(std::size_t contestant);
  Task<> attack_all();
  Task<> attack_stepwise();
  Task<> remove_keys(Contestant& contestant, const std::vector<std::string>& keys);
  Task<> remove_leftovers();
  Task<std::optional<std::int64_t>> own_cpu_us();
  void note_use_by_others(const CoreTimes& before, std::int64_t own_us);
  Task<> finish_attack(std::size_t contestant, AttackRun& run);
  void add_origin(Log& log) const;
  bool stopped() const { return loop_.interrupted() || !result_.problem.empty(); }
  bool plays(std::size_t contestant) const {
    return !stopped() && result_.algorithms[contestant].failed.empty();
  }
  bool wants(BenchPart part) const {
    return !stopped() && (plan_.part == BenchPart::all || plan_.part == part);
  }
  bool on_wall_clock() const { return plan_.policy.window_us <= kLongestWallWindowUs; }
  // A cluster, or Sentinels, replace a master that is lost.
  OnLoss on_loss() const {
    const bool replaced = redis_.is_cluster() || !redis_.endpoint().sentinels.empty();
    return replaced ? OnLoss::go_on : OnLoss::stop;
  }
  void begin_step(std::string what);
  std::vector<std::string> key_names(const Contestant& contestant, const std::string& group,
                                     std::int64_t count) const;
  Log make_log(const Contestant& contestant, const char* phase) const;
  void log_records(const Contestant& contestant, const char* phase,
                   const std::vector<std::string>& keys);

  Loop& loop_;
  Deployment& redis_;
  const BenchPlan& plan_;
  BenchProgress& progress_;
  const LogSink& sink_;
  std::unique_ptr<RedisClient> control_;
  Connections connections_;
  std::vector<std::unique_ptr<BenchThread>> threads_;  // beside this one
  std::vector<std::unique_ptr<Contestant>> contestants_;
  std::vector<std::unique_ptr<Contestant>> stamped_;  // for the attacks
  std::unique_ptr<Contestant> yardstick_;             // null if there are too few rounds to compare
  std::vector<Record> records_;                       // of the current measurement
  BenchResult result_;
};

Task<> Bench::connect() {
  co_await control_->connect();
  for (std::int64_t i = 0; i < plan_.connections; ++i) connections_.push_back(redis_.client());
  co_await open_all(loop_, connections_);
  start_threads();
  if (users_of(0) * plan_.pipeline < kSpinBelow) loop_.set_spin_us(kSpinUs);
}

// This thread is number 0.
std::int64_t Bench::users_of(std::size_t thread) const {
  const Shard share{static_cast<std::uint32_t>(thread + 1),
                    static_cast<std::uint32_t>(plan_.threads)};
  return share.share_of(plan_.connections);
}

void Bench::start_threads() {
  const auto timers = plan_.rate_per_s ? Loop::Timers::precise : Loop::Timers::coarse;
  for (std::int64_t i = 1; i < plan_.threads; ++i) {
    threads_.push_back(std::make_unique<BenchThread>(redis_.endpoint(), timers));
    const std::int64_t users = users_of(threads_.size());
    threads_.back()->connect(users);
    if (users * plan_.pipeline < kSpinBelow) threads_.back()->spin_for(kSpinUs);
  }
}

// Adds a contestant to every thread. Returns the one of this thread.
std::unique_ptr<Contestant> Bench::enter(const std::string& name, const Script& script,
                                         const ReplicaWait& wait) {
  for (const auto& thread : threads_)
    thread->add(std::make_unique<Contestant>(name, script, plan_.policy, thread->connections(),
                                             plan_.pipeline, wait));
  const auto own = std::span(connections_).first(static_cast<std::size_t>(users_of(0)));
  return std::make_unique<Contestant>(name, script, plan_.policy, own, plan_.pipeline, wait);
}

// `contestant` is the one of this thread; the others have their own, by number.
std::vector<SpeedPlayer> Bench::players(Contestant& contestant, std::size_t number) {
  std::vector<SpeedPlayer> players{{loop_, contestant, records_}};
  for (const auto& thread : threads_) players.push_back(thread->player(number));
  return players;
}

// "fixed", and "fixed#2" for the second script of that name, so that each has its own keys.
std::string Bench::own_name(const Script& script) const {
  std::size_t same = 1;
  for (const auto& other : contestants_)
    if (other->script().name == script.name) ++same;
  return same == 1 ? script.name : fmt::format("{}#{}", script.name, same);
}

Task<> Bench::load_scripts() {
  for (const Script& script : plan_.scripts) {
    const std::string name = own_name(script);
    contestants_.push_back(enter(name, script, plan_.wait));
    stamped_.push_back(
        std::make_unique<Contestant>(name, with_stamps(script), plan_.policy, connections_, 1));
    AlgorithmResult result;
    result.name = name;
    result_.algorithms.push_back(std::move(result));
  }
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    if (plays(i)) co_await load(i);
}

// A script that Redis refuses to compile ends the bench only if there is no other script.
Task<> Bench::load(std::size_t index) {
  if (contestants_[index]->script().manifest.run == RunPlace::client) co_return;
  std::string problem;
  try {
    co_await load_script_into(*control_, contestants_[index]->script());
    co_await load_script_into(*control_, stamped_[index]->script());
  } catch (const Error& error) {
    if (contestants_.size() == 1) throw;
    problem = fmt::format("{}: {}", contestants_[index]->name(), error.what());
  }
  co_await settle(index, std::move(problem));
}

// Reopens connections that a failing script may have closed; false if the server is gone.
Task<bool> Bench::reconnect() {
  try {
    if (!control_->is_open()) co_await control_->connect();
    co_await open_all(loop_, connections_);
    for (const auto& thread : threads_) thread->reconnect();
  } catch (const Error&) {
    co_return false;
  }
  const std::string wire = encode_command("PING");
  const Exchange ping = co_await control_->send(wire);
  co_return ping.state == Exchange::State::replied;
}

// A problem of one contestant ends only that one; if the server is gone, the whole bench ends.
Task<> Bench::settle(std::size_t index, std::string problem) {
  if (problem.empty()) co_return;
  const bool connected = co_await reconnect();
  std::string& told = connected ? result_.algorithms[index].failed : result_.problem;
  if (told.empty()) told = std::move(problem);
}

Task<> Bench::load_yardstick() {
  // With fewer rounds, `compare` cannot use the bench.
  if (plan_.rounds < static_cast<std::int64_t>(kLeastRounds) || !wants(BenchPart::speed)) co_return;
  yardstick_ = enter("yardstick", yardstick_script(), {});
  co_await load_script_into(*control_, yardstick_->script());
}

void Bench::begin_step(std::string what) {
  progress_.what = std::move(what);
  progress_.records = threads_.empty() ? &records_ : nullptr;
}

std::vector<std::string> Bench::key_names(const Contestant& contestant, const std::string& group,
                                          std::int64_t count) const {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string number = fmt::format("{:06}", i);
    names.push_back(fmt::format("rlctl:{}:{}:{}:{}", plan_.run_id, contestant.name(), group,
                                redis_.is_cluster() ? in_hash_tag(number) : number));
  }
  return names;
}

Log Bench::make_log(const Contestant& contestant, const char* phase) const {
  Log log;
  log.algorithm = contestant.name();
  log.policy = plan_.policy;
  log.contract = contestant.script().manifest.promises(plan_.policy.numbers());
  log.tolerance_us = tolerance_us_of(contestant.script().manifest);
  log.phases = {phase};
  add_origin(log);
  return log;
}

void Bench::add_origin(Log& log) const {
  log.run_id = plan_.run_id;
  log.command = plan_.command;
  log.version = plan_.version;
  log.server = result_.server;
}

void Bench::log_records(const Contestant& contestant, const char* phase,
                        const std::vector<std::string>& keys) {
  if (!sink_) return;
  Log log = make_log(contestant, phase);
  log.keys = keys;
  log.records = std::move(records_);
  sink_(log);
  records_ = std::move(log.records);
}

Task<> Bench::exhaust(std::size_t index, const std::vector<std::string>& keys,
                      std::string& problem) {
  SteadyPlan fill;
  fill.keys = static_cast<std::uint32_t>(keys.size());
  fill.requests = static_cast<std::int64_t>(keys.size()) *
                  std::max(plan_.policy.limit, plan_.policy.bucket_capacity());
  const auto filling = players(*contestants_[index], index);
  co_await measure_speed(*control_, filling, fill, keys, problem, on_loss());
}

SteadyPlan Bench::steady_plan(std::size_t keys) const {
  SteadyPlan plan;
  plan.keys = static_cast<std::uint32_t>(keys);
  plan.requests = plan_.requests;
  if (!plan_.requests) plan.duration_us = plan_.duration_us;
  plan.rate_per_s = plan_.rate_per_s;
  return plan;
}

// Runs just before the contestant, under the same traffic.
Task<> Bench::measure_yardstick(std::size_t index, std::int64_t round) {
  if (!yardstick_) co_return;
  begin_step(fmt::format("yardstick, round {} of {}", round + 1, plan_.rounds));
  const auto keys =
      key_names(*yardstick_, fmt::format("{}-{}", contestants_[index]->name(), round), plan_.keys);
  const auto playing = players(*yardstick_, contestants_.size());
  const SpeedRound measured = co_await measure_speed(*control_, playing, steady_plan(keys.size()),
                                                     keys, result_.problem, on_loss());
  AlgorithmResult& result = result_.algorithms[index];
  result.yardstick_name = kYardstickName;
  if (!stopped()) result.yardstick.push_back(measured);
  if (control_->is_open()) co_await remove_keys(*yardstick_, keys);
}

Task<> Bench::measure(std::size_t index, std::int64_t round, Mix mix) {
  Contestant& contestant = *contestants_[index];
  const char* name = name_of(mix);
  begin_step(
      fmt::format("{}, round {} of {}, {}", contestant.name(), round + 1, plan_.rounds, name));
  const std::string group = fmt::format("{}{}", name, round);
  const std::int64_t several = mix == Mix::denied ? denied_keys(plan_.policy.limit) : plan_.keys;
  const auto keys = key_names(contestant, mix == Mix::one_slot ? in_hash_tag(group) : group,
                              mix == Mix::one_key ? 1 : several);
  std::string problem;
  if (mix == Mix::denied) {
    co_await exhaust(index, keys, problem);
    log_records(contestant, "fill", keys);  // the admissions that explain the following denials
  }
  if (!stopped() && problem.empty()) {
    const auto playing = players(contestant, index);
    SpeedRound measured = co_await measure_speed(*control_, playing, steady_plan(keys.size()), keys,
                                                 problem, on_loss());
    if (redis_.is_cluster()) add_shares(redis_.topology().map(), keys, records_, measured);
    // An interrupted measurement does not count.
    AlgorithmResult& result = result_.algorithms[index];
    if (!stopped() && problem.empty()) rounds_of(result, mix).push_back(measured);
    log_records(contestant, name, keys);
  }
  ++progress_.steps_done;
  co_await settle(index, std::move(problem));
  if (control_->is_open()) co_await remove_keys(contestant, keys);
}

Task<> Bench::warm_up(std::size_t index) {
  Contestant& contestant = *contestants_[index];
  begin_step(contestant.name() + ", warming up");
  const auto keys = key_names(contestant, "warm", 100);
  SteadyPlan plan;
  plan.keys = 100;
  plan.duration_us = plan_.warm_up_us;
  std::string problem;
  const auto playing = players(contestant, index);
  co_await measure_speed(*control_, playing, plan, keys, problem, on_loss());
  co_await settle(index, std::move(problem));
  if (control_->is_open()) co_await remove_keys(contestant, keys);
}

Task<> Bench::measure_both(std::size_t index, std::int64_t round) {
  if (plays(index)) co_await measure_yardstick(index, round);
  if (plays(index)) co_await measure(index, round, Mix::admitted);
  if (plays(index)) co_await measure(index, round, Mix::denied);
  for (const Mix mix : {Mix::one_slot, Mix::one_key})
    if (plays(index) && redis_.is_cluster()) co_await measure(index, round, mix);
}

Task<> Bench::measure_all() {
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    if (plays(i) && plan_.warm_up_us > 0) co_await warm_up(i);
  for (std::int64_t round = 0; round < plan_.rounds && !stopped(); ++round)
    for (std::size_t i = 0; i < contestants_.size(); ++i) co_await measure_both(i, round);
}

Task<> Bench::weigh(std::size_t index) {
  Contestant& contestant = *contestants_[index];
  begin_step(contestant.name() + ", memory of a full key");
  const auto keys = key_names(contestant, "full", 1);
  const std::int64_t started_us = now_us();
  std::string problem;
  co_await exhaust(index, keys, problem);
  co_await settle(index, std::move(problem));
  const Attempt attempt{keys.front(), 1, kNoTime};
  // The key is full if all requests were sent before the window ended.
  const bool full = now_us() - started_us < plan_.policy.window_us;
  std::int64_t bytes = 0;
  for (const std::string& key : contestant.call().keys_of(attempt)) {
    std::string wire = encode_command("MEMORY", "USAGE", key, "SAMPLES", "0");
    const Exchange usage = co_await control_->send(wire);
    if (usage.reply.is_integer()) bytes += usage.reply.integer;
  }
  if (full && plays(index)) result_.algorithms[index].bytes_per_key = bytes;
  co_await remove_keys(contestant, keys);
}

Task<> Bench::remove_keys(Contestant& contestant, const std::vector<std::string>& keys) {
  constexpr std::size_t kBatch = 500;
  std::vector<std::string> command;
  for (const std::string& key : keys) {
    for (std::string& touched : contestant.call().keys_of({key, 1, kNoTime}))
      command.push_back(std::move(touched));
    if (command.size() < kBatch && &key != &keys.back()) continue;
    command.insert(command.begin(), "UNLINK");
    const std::string wire = encode_command(std::span<const std::string>(command));
    co_await control_->send(wire);
    command.clear();
  }
}

// Also keys of past windows, which the manifest's templates do not name any more. An embedded
// server ends with rlctl. A failure is only reported: the measurements stay valid.
Task<> Bench::remove_leftovers() {
  if (!plan_.clean_up) co_return;
  const std::string left =
      co_await remove_keys_of_run(*control_, plan_.run_id, redis_.endpoint().name());
  if (!left.empty()) result_.problem += (result_.problem.empty() ? "" : "; ") + left;
}

Task<> Bench::finish_attack(std::size_t index, AttackRun& run) {
  AlgorithmResult& result = result_.algorithms[index];
  ++progress_.steps_done;
  add_origin(run.log);
  if (sink_) sink_(run.log);
  std::string problem;
  if (!run.problem.empty()) problem = fmt::format("{}: {}", result.name, run.problem);
  co_await settle(index, std::move(problem));
  const bool is_away = !run.lost.empty() && !co_await reconnect();
  if (is_away && result_.problem.empty())
    result_.problem = fmt::format("{}: {}", result.name, run.lost);
  // An incomplete attack is judged too, and reported as incomplete (interrupted, complete: false).
  if (!run.log.records.empty()) judge_attack(run, result);
  if (control_->is_open()) co_await remove_keys(*run.contestant, run.log.keys);
}

Task<> Bench::attack_all() {
  std::vector<AttackRun> runs;
  for (auto& contestant : stamped_)
    runs.push_back(prepare_attack(*contestant, plan_.policy,
                                  key_prefix_of_run(plan_.run_id) + contestant->name() + ":"));
  std::vector<AttackRun*> together;
  std::vector<std::size_t> at_once;
  std::vector<std::size_t> one_by_one;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (plays(i))
      (runs[i].contestant->script().manifest.run == RunPlace::server ? at_once : one_by_one)
          .push_back(i);
  for (const std::size_t i : at_once) together.push_back(&runs[i]);
  if (!together.empty()) {
    begin_step("attacks on all at once");
    co_await attack_on_wall_clock(loop_, together, now_us() + plan_.policy.window_us / 20);
  }
  for (const std::size_t i : at_once) co_await finish_attack(i, runs[i]);
  for (const std::size_t i : one_by_one) {
    if (stopped()) continue;
    begin_step("attacks on " + runs[i].contestant->name());
    AttackRun* const alone[] = {&runs[i]};
    co_await attack_on_wall_clock(loop_, alone, now_us() + plan_.policy.window_us / 20);
    co_await finish_attack(i, runs[i]);
  }
}

Task<> Bench::attack_stepwise() {
  for (std::size_t i = 0; i < stamped_.size(); ++i) {
    if (!plays(i)) continue;
    const Script& script = contestants_[i]->script();
    if (const std::string reason = why_in_real_time(script, plan_.policy); !reason.empty()) {
      ++progress_.steps_done;
      result_.algorithms[i].not_attacked =
          reason + ", which the virtual clock cannot advance: use --window 1s";
      continue;
    }
    AttackRun run = prepare_attack(*contestants_[i], plan_.policy,
                                   key_prefix_of_run(plan_.run_id) + contestants_[i]->name() + ":");
    begin_step("attacks on " + contestants_[i]->name() + ", virtual clock");
    run.log.clock = "virtual";
    co_await attack_on_virtual_clock(loop_, *control_, run, now_us());
    co_await finish_attack(i, run);
  }
}

bool is_here(const Endpoint& endpoint) {
  return !endpoint.unix_path.empty() || endpoint.host == "localhost" || endpoint.host == "::1" ||
         endpoint.host.starts_with("127.");
}

// CPU time of rlctl on this machine, plus that of the server if it runs here too.
Task<std::optional<std::int64_t>> Bench::own_cpu_us() {
  if (!is_here(redis_.endpoint())) co_return process_cpu_us();
  if (!control_->is_open()) co_return std::nullopt;
  const std::optional<std::int64_t> server_us = co_await server_cpu_us(*control_);
  if (!server_us) co_return std::nullopt;
  co_return *server_us + process_cpu_us();
}

void Bench::note_use_by_others(const CoreTimes& before, std::int64_t own_us) {
  const auto after = read_core_times();
  if (!after) return;
  const MachineUse use = use_between(before, *after, own_us);
  result_.machine_use.other_cpu_percent = use.other_cpu_percent;
  result_.machine_use.stolen_percent = use.stolen_percent;
}

Task<BenchResult> Bench::run() {
  const std::int64_t started_us = now_us();
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
  result_.on_virtual_time = !on_wall_clock();
  const auto algorithms = static_cast<std::int64_t>(plan_.scripts.size());
  progress_.steps = algorithms * ((redis_.is_cluster() ? 4 : 2) * plan_.rounds + 1);
  co_await connect();
  result_.server = co_await server_version(*control_);
  result_.machine = read_machine();
  result_.machine_use.load_before = read_load();
  const auto cores_before = read_core_times();
  const std::optional<std::int64_t> own_before_us = co_await own_cpu_us();
  co_await load_scripts();
  co_await load_yardstick();
  if (wants(BenchPart::speed)) co_await measure_all();
  for (std::size_t i = 0; i < contestants_.size() && wants(BenchPart::speed); ++i)
    if (plays(i)) co_await weigh(i);
  if (wants(BenchPart::accuracy) && on_wall_clock()) co_await attack_all();
  if (wants(BenchPart::accuracy) && !on_wall_clock()) co_await attack_stepwise();
  co_await remove_leftovers();
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    result_.algorithms[i].remark = contestants_[i]->call().remark();
  const std::optional<std::int64_t> own_after_us = co_await own_cpu_us();
  if (own_before_us && own_after_us && cores_before)
    note_use_by_others(*cores_before, *own_after_us - *own_before_us);
  result_.interrupted = loop_.interrupted();
  result_.seconds = static_cast<double>(now_us() - started_us) / 1e6;
  co_return std::move(result_);
}

}  // namespace

BenchResult bench(Loop& loop, Deployment& redis, const BenchPlan& plan, BenchProgress& progress,
                  const LogSink& sink) {
  // Created here, not in a coroutine: its connections must outlive the coroutines that they resume.
  Bench bench(loop, redis, plan, progress, sink);
  return loop.run(bench.run());
}

}  // namespace rlctl
