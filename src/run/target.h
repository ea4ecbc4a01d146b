// Target: what a scenario's phases are played against. It makes the limiters of virtual users and
// owns what they need to ask it: connections, a server of its own.
//
// open() throws Error(Exit::target) when it can't be spoken to in the first place; what it does
// later is data. Must outlive every user. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/header_claims.h"
#include "io/redis.h"
#include "limiter/limiter.h"
#include "run/policy_play.h"

namespace rlctl {

struct UserPlan {
  std::size_t users = 1;
  bool lockstep = false;   // client-run scripts: step by step together
  std::size_t gather = 1;  // how many of them begin at one instant
};

// The virtual users of one phase. What they borrow from the target goes back with them.
class TargetUsers {
 public:
  virtual ~TargetUsers() = default;
  virtual std::vector<Limiter*> limiters() = 0;
};

class Target {
 public:
  virtual ~Target() = default;

  virtual Task<> open() = 0;
  virtual Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) = 0;

  // Put before the keys of a phase: "" where the target makes its own keys (HTTP).
  virtual std::string key_prefix() const = 0;
  virtual bool names_keys() const = 0;  // whether a phase may have keys of its own

  // False: whoever asks, it gets the same request from the same address, so all are one client.
  virtual bool tells_clients_apart() const { return true; }

  // What decides there: "redis 7.0.15"; empty: not known. Once it is open.
  virtual std::string server() const { return {}; }

  // What it said in headers to the users of a policy; null where it has none.
  virtual const HeaderClaims* claims(const std::string& policy) const;

  // Removes what the run left. The last thing that is asked of it.
  virtual Task<> close() = 0;

  // Faults. Error(Exit::usage) where the target has no such thing: only a server of the run's own
  // may be harmed.
  virtual Task<> forget_scripts();
  virtual Task<> restart(std::int64_t down_us);      // back, and empty, after that time
  virtual Task<> hang(std::int64_t down_us);         // answers nothing for that time
  virtual void crash_client(std::int64_t commands);  // the next to have sent so many in a decision
};

}  // namespace rlctl
