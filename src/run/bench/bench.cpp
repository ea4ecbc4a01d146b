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
#include "run/bench/bench_run.h"
#include "run/bench/yardstick.h"
#include "run/expiry_probe.h"
#include "run/leftovers.h"

namespace rlctl {
namespace {

// Longer windows are attacked on the virtual clock, if the script supports it.
constexpr std::int64_t kLongestWallWindowUs = 2'000'000;
// With fewer requests in flight, waiting in epoll takes longer than the reply itself.
constexpr std::int64_t kSpinBelow = 4;
constexpr std::int64_t kSpinUs = 200;

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

class RedisBench final : public BenchRun {
 public:
  RedisBench(Loop& loop, Deployment& redis, const BenchPlan& plan, BenchProgress& progress,
             const LogSink& sink)
      : BenchRun(loop, plan, progress, sink), redis_(redis), control_(redis.client()) {}

 private:
  Task<> open() override;
  Contestant& contestant(std::size_t number) override { return *contestants_[number]; }
  std::vector<Mix> mixes_of(std::size_t) const override;
  BenchClients clients_of(const Contestant& contestant, const std::string& group,
                          std::int64_t count) override;
  Task<> settle(std::size_t number, BenchProblem problem) override;
  Task<bool> reconnect() override;
  Task<> before_round(std::size_t number, std::int64_t round) override;
  Task<> weigh(std::size_t number) override;
  Task<> attack_all() override;
  Task<> clear(Contestant& contestant, const std::vector<std::string>& keys) override;
  Task<> close() override;
  Redis* control() override { return control_.get(); }
  OnLoss on_loss() const override;
  void complete(SpeedRound& round, const std::vector<std::string>& keys) const override;
  Task<std::optional<std::int64_t>> own_cpu_us() override;

  Task<> connect();
  void connect_threads();
  std::unique_ptr<ScriptContestant> enter(const std::string& name, const Script& script,
                                          const ReplicaWait& wait);
  Task<> load_scripts();
  Task<> load(std::size_t number);
  Task<> load_yardstick();
  Task<> attack_in_real_time();
  Task<> attack_stepwise();
  bool on_wall_clock() const { return plan_.policy.window_us <= kLongestWallWindowUs; }

  Deployment& redis_;
  std::unique_ptr<RedisClient> control_;
  Connections connections_;
  std::vector<std::unique_ptr<ScriptContestant>> contestants_;
  std::vector<std::unique_ptr<ScriptContestant>> stamped_;  // for the attacks
  std::unique_ptr<ScriptContestant> yardstick_;  // null if there are too few rounds to compare
  bool may_leave_keys_ = false;                  // no script was loaded: nothing was stored
};

Task<> RedisBench::connect() {
  co_await control_->connect();
  for (std::int64_t i = 0; i < plan_.connections; ++i) connections_.push_back(redis_.client());
  co_await open_all(loop_, connections_);
  start_threads();
  connect_threads();
  if (users_of(0) * plan_.pipeline < kSpinBelow) loop_.set_spin_us(kSpinUs);
}

void RedisBench::connect_threads() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const std::int64_t users = users_of(i + 1);
    threads_[i]->connect(redis_.endpoint(), users);
    if (users * plan_.pipeline < kSpinBelow) threads_[i]->spin_for(kSpinUs);
  }
}

// Adds a contestant to every thread. Returns the one of this thread.
std::unique_ptr<ScriptContestant> RedisBench::enter(const std::string& name, const Script& script,
                                                    const ReplicaWait& wait) {
  for (const auto& thread : threads_)
    thread->add(std::make_unique<ScriptContestant>(name, script, plan_.policy,
                                                   thread->connections(), plan_.pipeline, wait));
  const auto own = std::span(connections_).first(static_cast<std::size_t>(users_of(0)));
  return std::make_unique<ScriptContestant>(name, script, plan_.policy, own, plan_.pipeline, wait);
}

Task<> RedisBench::load_scripts() {
  for (const Script& script : plan_.scripts) {
    const std::string name = own_name(script.name);
    contestants_.push_back(enter(name, script, plan_.wait));
    stamped_.push_back(std::make_unique<ScriptContestant>(name, with_stamps(script), plan_.policy,
                                                          connections_, 1));
    add_result(name);
  }
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (plays(i)) co_await load(i);
    may_leave_keys_ |= plays(i);
  }
}

// A script that Redis refuses to compile ends the bench only if there is no other script.
Task<> RedisBench::load(std::size_t index) {
  if (contestants_[index]->script().manifest.run == RunPlace::client) co_return;
  BenchProblem problem;
  try {
    co_await load_script_into(*control_, contestants_[index]->script());
    co_await load_script_into(*control_, stamped_[index]->script());
  } catch (const Error& error) {
    if (contestants_.size() == 1) throw;
    problem = {fmt::format("{}: {}", contestants_[index]->name(), error.what()), error.hint()};
  }
  co_await settle(index, std::move(problem));
}

// Reopens connections that a failing script may have closed; false if the server is gone.
Task<bool> RedisBench::reconnect() {
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
Task<> RedisBench::settle(std::size_t index, BenchProblem problem) {
  if (problem.empty()) co_return;
  const bool connected = co_await reconnect();
  BenchProblem& told = connected ? result_.algorithms[index].failed : result_.problem;
  if (told.empty()) told = std::move(problem);
}

Task<> RedisBench::load_yardstick() {
  // With fewer rounds, `compare` cannot use the bench.
  if (plan_.rounds < static_cast<std::int64_t>(kLeastRounds) || !wants(BenchPart::speed)) co_return;
  yardstick_ = enter("yardstick", yardstick_script(), {});
  co_await load_script_into(*control_, yardstick_->script());
}

BenchClients RedisBench::clients_of(const Contestant& contestant, const std::string& group,
                                    std::int64_t count) {
  BenchClients clients;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string number = fmt::format("{:06}", i);
    clients.keys.push_back(fmt::format("{}{}:{}:{}", key_prefix_of_run(plan_.run_id),
                                       contestant.name(), group,
                                       redis_.is_cluster() ? in_hash_tag(number) : number));
  }
  return clients;
}

// Runs just before the contestant, under the same traffic.
Task<> RedisBench::before_round(std::size_t number, std::int64_t round) {
  if (!yardstick_) co_return;
  begin_step(fmt::format("yardstick, round {} of {}", round + 1, plan_.rounds));
  const BenchClients clients = clients_of(
      *yardstick_, fmt::format("{}-{}", contestants_[number]->name(), round), plan_.keys);
  const auto playing = players(*yardstick_, contestants_.size());
  const SpeedRound measured =
      co_await measure_speed(control_.get(), playing, steady_plan(clients.keys.size()), clients,
                             result_.problem, on_loss());
  AlgorithmResult& result = result_.algorithms[number];
  result.yardstick_name = kYardstickName;
  if (!stopped()) result.yardstick.push_back(measured);
  co_await clear(*yardstick_, clients.keys);
}

std::vector<Mix> RedisBench::mixes_of(std::size_t) const {
  if (redis_.is_cluster()) return {Mix::admitted, Mix::denied, Mix::one_slot, Mix::one_key};
  return {Mix::admitted, Mix::denied};
}

// A cluster, or Sentinels, replace a master that is lost.
OnLoss RedisBench::on_loss() const {
  const bool replaced = redis_.is_cluster() || !redis_.endpoint().sentinels.empty();
  return replaced ? OnLoss::go_on : OnLoss::stop;
}

void RedisBench::complete(SpeedRound& round, const std::vector<std::string>& keys) const {
  if (redis_.is_cluster()) add_shares(redis_.topology().map(), keys, records_, round);
}

Task<> RedisBench::weigh(std::size_t number) {
  ScriptContestant& contestant = *contestants_[number];
  begin_step(contestant.name() + ", memory of a full key");
  const BenchClients clients = clients_of(contestant, "full", 1);
  const std::int64_t started_us = now_us();
  BenchProblem problem;
  co_await exhaust(number, clients, problem);
  co_await settle(number, std::move(problem));
  const Attempt attempt{clients.keys.front(), 1, kNoTime};
  // The key is full if all requests were sent before the window ended.
  const bool full = now_us() - started_us < plan_.policy.window_us;
  std::int64_t bytes = 0;
  for (const std::string& key : contestant.call().keys_of(attempt)) {
    std::string wire = encode_command("MEMORY", "USAGE", key, "SAMPLES", "0");
    const Exchange usage = co_await control_->send(wire);
    if (usage.reply.is_integer()) bytes += usage.reply.integer;
  }
  if (full && plays(number)) result_.algorithms[number].bytes_per_key = bytes;
  co_await clear(contestant, clients.keys);
}

Task<> RedisBench::clear(Contestant& contestant, const std::vector<std::string>& keys) {
  constexpr std::size_t kBatch = 500;
  if (!control_->is_open()) co_return;
  std::vector<std::string> command;
  for (const std::string& key : keys) {
    for (std::string& touched :
         static_cast<ScriptContestant&>(contestant).call().keys_of({key, 1, kNoTime}))
      command.push_back(std::move(touched));
    if (command.size() < kBatch && &key != &keys.back()) continue;
    command.insert(command.begin(), "UNLINK");
    const std::string wire = encode_command(std::span<const std::string>(command));
    co_await control_->send(wire);
    command.clear();
  }
}

// Also removes keys of past windows, which the manifest's templates do not name any more. An
// embedded server ends with rlctl. A failure is only reported: the measurements stay valid.
Task<> RedisBench::close() {
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    result_.algorithms[i].remark = contestants_[i]->call().remark();
  if (plan_.clean_up && may_leave_keys_)
    result_.leftover = co_await remove_keys_of_run(*control_, plan_.run_id, redis_.endpoint());
}

Task<> RedisBench::attack_all() {
  if (on_wall_clock())
    co_await attack_in_real_time();
  else
    co_await attack_stepwise();
}

Task<> RedisBench::attack_in_real_time() {
  std::vector<AttackRun> runs;
  for (auto& contestant : stamped_)
    runs.push_back(prepare_attack(*contestant, plan_.policy,
                                  key_prefix_of_run(plan_.run_id) + contestant->name() + ":"));
  std::vector<AttackRun*> together;
  std::vector<std::size_t> at_once;
  std::vector<std::size_t> one_by_one;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (plays(i))
      (stamped_[i]->script().manifest.run == RunPlace::server ? at_once : one_by_one).push_back(i);
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

Task<> RedisBench::attack_stepwise() {
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
    co_await attack_on_virtual_clock(loop_, *control_, run, script, now_us());
    co_await finish_attack(i, run);
  }
}

bool is_here(const Endpoint& endpoint) {
  return !endpoint.unix_path.empty() || endpoint.host == "localhost" || endpoint.host == "::1" ||
         endpoint.host.starts_with("127.");
}

// CPU time of rlctl on this machine, plus that of the server if it runs here too.
Task<std::optional<std::int64_t>> RedisBench::own_cpu_us() {
  if (!is_here(redis_.endpoint())) co_return process_cpu_us();
  if (!control_->is_open()) co_return std::nullopt;
  const std::optional<std::int64_t> server_us = co_await server_cpu_us(*control_);
  if (!server_us) co_return std::nullopt;
  co_return *server_us + process_cpu_us();
}

Task<> RedisBench::open() {
  result_.on_virtual_time = !on_wall_clock();
  co_await connect();
  result_.server = co_await server_version(*control_);
  co_await load_scripts();
  co_await load_yardstick();
}

}  // namespace

BenchResult bench(Loop& loop, Deployment& redis, const BenchPlan& plan, BenchProgress& progress,
                  const LogSink& sink) {
  // Created here, not in a coroutine: its connections must outlive the coroutines that they resume.
  RedisBench bench(loop, redis, plan, progress, sink);
  return loop.run(bench.run());
}

}  // namespace rlctl
