// BenchRun: what is the same in a bench of scripts and in one of services: interleaved rounds under
// each kind of traffic, then the attacks. RedisBench (bench.cpp) and ServiceBench
// (service_bench.cpp) are the two; they own connections and contestants.
//
// Runs on one thread, which starts `threads` - 1 others for each measurement of speed and waits for
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/identity.h"
#include "run/bench/accuracy.h"
#include "run/bench/bench.h"
#include "run/bench/bench_thread.h"
#include "run/bench/machine.h"
#include "run/bench/speed.h"

namespace rlctl {

enum class Mix : std::uint8_t { admitted, denied, one_slot, one_key };
const char* name_of(Mix mix);

class BenchRun {
 public:
  BenchRun(Loop& loop, const BenchPlan& plan, BenchProgress& progress, const LogSink& sink)
      : loop_(loop), plan_(plan), progress_(progress), sink_(sink) {}
  virtual ~BenchRun() = default;
  BenchRun(const BenchRun&) = delete;
  BenchRun& operator=(const BenchRun&) = delete;

  Task<BenchResult> run();

 protected:
  // Connects, and enters every contestant: one result for each, by number.
  virtual Task<> open() = 0;
  virtual Contestant& contestant(std::size_t number) = 0;
  virtual std::vector<Mix> mixes_of(std::size_t number) const = 0;
  // New ones, whom no limiter has seen. `group`: of their keys.
  virtual BenchClients clients_of(const Contestant& contestant, const std::string& group,
                                  std::int64_t count) = 0;
  // A problem of one contestant ends only that one.
  virtual Task<> settle(std::size_t number, BenchProblem problem) = 0;
  virtual Task<> attack_all() = 0;
  // False: nobody answers any more.
  virtual Task<bool> reconnect() { co_return true; }
  virtual Task<> before_round(std::size_t, std::int64_t) { co_return; }
  virtual Task<> weigh(std::size_t) { co_return; }
  // What the measurement left behind.
  virtual Task<> clear(Contestant&, const std::vector<std::string>&) { co_return; }
  virtual Task<> close() { co_return; }
  // Who tells the CPU time of the server; null: nobody.
  virtual Redis* control() { return nullptr; }
  virtual OnLoss on_loss() const { return OnLoss::go_on; }
  virtual void complete(SpeedRound&, const std::vector<std::string>&) const {}
  // Of rlctl, and of the server if it runs on this machine; empty: not known.
  virtual Task<std::optional<std::int64_t>> own_cpu_us() { co_return std::nullopt; }

  std::size_t contestants() const { return result_.algorithms.size(); }
  std::int64_t users_of(std::size_t thread) const;
  // Makes the others; none of them is connected.
  void start_threads();
  // "fixed", and "fixed#2" for the second one of that name, so that each has its own keys.
  std::string own_name(const std::string& name) const;
  void add_result(const std::string& name);
  // `contestant` is the one of this thread; the others have their own, by number.
  std::vector<SpeedPlayer> players(Contestant& contestant, std::size_t number);
  SteadyPlan steady_plan(std::size_t keys) const;
  Task<> exhaust(std::size_t number, const BenchClients& clients, BenchProblem& problem);
  Task<> finish_attack(std::size_t number, AttackRun& run);
  void add_origin(Log& log) const;
  void begin_step(std::string what);
  bool stopped() const { return loop_.interrupted() || !result_.problem.empty(); }
  bool plays(std::size_t number) const {
    return !stopped() && result_.algorithms[number].failed.empty();
  }
  bool wants(BenchPart part) const {
    return !stopped() && (plan_.part == BenchPart::all || plan_.part == part);
  }

  Loop& loop_;
  const BenchPlan& plan_;
  std::vector<std::unique_ptr<BenchThread>> threads_;  // beside this one
  std::vector<Record> records_;                        // of the current measurement
  BenchProgress& progress_;
  BenchResult result_;

 private:
  void describe_plan();
  Task<> warm_up(std::size_t number);
  Task<> measure(std::size_t number, std::int64_t round, Mix mix);
  Task<> measure_round(std::size_t number, std::int64_t round);
  Task<> measure_all();
  void log_records(const Contestant& contestant, const char* phase,
                   const std::vector<std::string>& keys);
  void note_use_by_others(const CoreTimes& before, std::int64_t own_us);

  const LogSink& sink_;
};

}  // namespace rlctl
