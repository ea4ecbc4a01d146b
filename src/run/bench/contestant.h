// A contestant of a bench: what decides, as a number of virtual users. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/redis/redis_client.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"
#include "result/bench_result.h"
#include "run/drive.h"

namespace rlctl {

class Contestant {
 public:
  virtual ~Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  // Unique among the contestants: two of them may run the same script.
  const std::string& name() const { return name_; }
  // What it promises; empty: nothing is known.
  const Rules& contract() const { return contract_; }
  // The resolution of the clock that it decides by.
  std::int64_t tolerance_us() const { return tolerance_us_; }
  std::span<Limiter* const> users() const { return users_; }
  // A service may answer one request with an error and the next one with a decision. After an error
  // of a script nobody knows what it did.
  virtual bool is_service() const { return false; }

 protected:
  Contestant(std::string name, Rules contract, std::int64_t tolerance_us)
      : name_(std::move(name)), contract_(std::move(contract)), tolerance_us_(tolerance_us) {}

  std::vector<Limiter*> users_;

 private:
  std::string name_;
  Rules contract_;
  std::int64_t tolerance_us_;
};

// One script, ready to be measured on a set of connections, which it borrows.
class ScriptContestant final : public Contestant {
 public:
  // `pipeline` virtual users on each connection; 1 if they wait.
  ScriptContestant(std::string name, const Script& script, const Policy& policy,
                   std::span<const std::unique_ptr<RedisClient>> connections, std::int64_t pipeline,
                   const ReplicaWait& wait = {});

  const Script& script() const { return script_; }
  ScriptCall& call() { return call_; }

 private:
  Script script_;
  ScriptCall call_;
  std::vector<std::unique_ptr<Limiter>> limiters_;
};

// Why a drive of the contestant has requests without a decision; empty: there is no reason.
BenchProblem problem_of(const Contestant& contestant, const Drive& drive);

}  // namespace rlctl
