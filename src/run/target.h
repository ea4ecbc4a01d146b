// Target: what the phases of a scenario are played against. It makes the limiters of the virtual
// users and owns what they need: connections, an embedded server.
//
// open() throws Error(Exit::target) if the target can't be reached; later failures are data in the
// log. Must outlive every user. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/redis/redis.h"
#include "limiter/limiter.h"
#include "log/header_claims.h"
#include "run/policy_play.h"
#include "run/redis_faults.h"

namespace rlctl {

struct UserPlan {
  std::size_t users = 1;
  bool lockstep = false;    // for client-run scripts: users go step by step together
  std::size_t gather = 1;   // how many of them begin at one instant
  std::size_t at_once = 0;  // how many usually have a request in flight, if answers are quick
};

// The virtual users of one phase. Their destructor returns what they borrowed from the target.
class TargetUsers {
 public:
  virtual ~TargetUsers() = default;
  virtual std::vector<Limiter*> limiters() = 0;
};

class Target {
 public:
  virtual ~Target() = default;

  virtual Task<> open() = 0;
  // Before the traffic of a phase: what its clients need, such as a login.
  virtual Task<> admit(PolicyPlay& policy, std::span<const Identity> clients);
  virtual Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) = 0;

  // Prefix of the keys of a phase; "" if the target makes its own keys (HTTP).
  virtual std::string key_prefix() const = 0;
  virtual bool names_keys() const = 0;  // true if a phase may have its own keys
  // True if the keys of one decision need a common hash tag: it is a cluster. Valid after open().
  virtual bool needs_hash_tags() const { return false; }

  // False if all clients of a policy send the same request from the same address: to the target
  // they are one.
  virtual bool tells_clients_apart(const PolicySpec&) const { return true; }

  // The server that decides: "redis 7.0.15"; empty if not known. Valid after open().
  virtual std::string server() const { return {}; }
  // How many servers may decide, each with its own order of requests. Valid after open().
  virtual std::int64_t servers() const { return 1; }

  // What its headers told the users of a policy; null if there are none.
  virtual const HeaderClaims* claims(const std::string& policy) const;

  // Removes what the run left behind. Returns a sentence about what remains; empty: nothing. The
  // last call.
  virtual Task<std::string> close() = 0;

  // What can be done to its Redis; null if rlctl can't reach that. Valid after open().
  virtual RedisFaults* redis_faults() { return nullptr; }
};

// The most connections that the users of a phase have open, to all targets of its policy.
struct MostConnections {
  std::int64_t needed = 0;  // by users that the scenario counts
  // If answers are late, so that open-loop phases have more users; if users that could share a
  // connection do not; and if those of earlier phases stay open.
  std::int64_t possible = 0;
};
MostConnections most_connections(const Scenario& scenario, std::int64_t threads = 1);

}  // namespace rlctl
