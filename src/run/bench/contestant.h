// A contestant of a bench: one script, ready to be measured on a set of connections. It borrows the
// connections. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/redis/redis_client.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"

namespace rlctl {

class Contestant {
 public:
  // `pipeline` virtual users on each connection; 1 if they wait.
  // `name` is unique among the contestants: two of them may run the same script.
  Contestant(std::string name, const Script& script, const Policy& policy,
             std::span<const std::unique_ptr<RedisClient>> connections, std::int64_t pipeline,
             const ReplicaWait& wait = {});

  const std::string& name() const { return name_; }
  const Script& script() const { return script_; }
  ScriptCall& call() { return call_; }
  std::span<Limiter* const> users() const { return users_; }

 private:
  std::string name_;
  Script script_;
  ScriptCall call_;
  std::vector<std::unique_ptr<Limiter>> limiters_;
  std::vector<Limiter*> users_;
};

}  // namespace rlctl
