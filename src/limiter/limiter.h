// Limiter: anything that decides: a script run by Redis, a script run step by step, an HTTP
// service. The code that sends traffic does not see the difference. Virtual users of a service, or
// of a script that Redis runs, may share a limiter; one that runs step by step here, or has a
// finish or a set-up, is for one user and one decision at a time.
//
// The room limiter: the three kinds of limiters, and the scripts of lua/ with their manifests.
// - It includes log, policy, io and base, and uses LuaJIT.
// - It must not know why a request is sent, or whether the decision was right.
// - No algorithm is named in it: everything that is special about one is in its Lua file.
//
// Begin with this file. For scripts: manifest.h (what a script says about itself), registry.h (all
// scripts), script_call.h (the command and its reply), script_limiter.h, client_limiter.h. For
// HTTP: http_target.h, http_limiter.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/task.h"
#include "log/record.h"
#include "policy/identity.h"
#include "policy/target.h"

namespace rlctl {

class Redis;
class ScriptCall;

struct Attempt {
  std::string_view key;  // the policy's key, filled in; valid until the decision is there
  std::int64_t cost = 1;
  std::int64_t virtual_now_us = kNoTime;  // the time on the virtual clock; kNoTime: real time
  const Identity* identity = nullptr;     // who asks, for limiters that see more than a key; lives
                                          // as long as the key
  std::int64_t clock_offset_us = 0;       // how far this client's own clock is ahead
  std::string_view ticket = {};           // the uuid of the decision; empty: a new one
  std::int64_t actual_cost = -1;          // of a finish: what was used; -1: the cost
};

struct Decision {
  Outcome outcome = Outcome::unknown;
  std::int64_t sent_us = kNoTime;
  std::int64_t received_us = kNoTime;
  std::int64_t decided_us = kNoTime;       // the limiter's own clock, just after it decided
  std::int64_t decided_from_us = kNoTime;  // the same, just before; kNoTime: decided_us is exact
  std::int64_t retry_after_us = kNoTime;   // as reported
  std::int64_t delay_us = 0;               // queues: admitted, to be served this much later
  std::int64_t remaining = -1;             // as reported; -1: not reported
  std::int64_t reset_us = kNoTime;         // as reported, when nothing remains
  std::int64_t actual_cost = -1;           // what the work has used, as reported; -1: not reported
  std::uint16_t status = 0;                // HTTP; 0: none
  std::uint8_t target = 0;                 // which of several targets was asked
  bool unconfirmed = false;                // unknown, because too few replicas know of it
  std::string problem;                     // why unknown or failed: text, already escaped
};

// When a request counts as sent. A limiter that is told the time decides by that time, which was
// read a moment before the first byte was sent; so the decision still lies in [sent, received].
// Not at that time alone: Redis may have run requests in another order than that of their times.
inline std::int64_t sent_at(std::int64_t told_us, std::int64_t first_byte_us) {
  return told_us == kNoTime ? first_byte_us : std::min(told_us, first_byte_us);
}

class Limiter {
 public:
  virtual ~Limiter() = default;

  // Never throws because of the target; throws only std::bad_alloc. The attempt must live until the
  // decision is there: a copy for each user would be large.
  virtual Task<Decision> decide(const Attempt& attempt) = 0;

  // The end of the work that the last decision admitted; a limiter that has none does nothing and
  // returns `failed`. An outcome of `allowed` means that it was executed.
  virtual bool has_finish() const { return false; }
  virtual Task<Decision> finish(Attempt attempt);
};

// One virtual user's limiter for a script and its finish: run by Redis as one step, or step by step
// here, as their manifests say. Borrows `redis` and `call`. `wait`: for a script that Redis runs.
std::unique_ptr<Limiter> make_limiter(Redis& redis, ScriptCall& call, const ReplicaWait& wait = {});

// Runs the set-up script, if there is one, for keys that are known before the traffic begins. For
// other keys their first decision waits for it. Throws Error(Exit::target) if it fails.
Task<> set_up_keys(Redis& redis, ScriptCall& call, std::vector<std::string> keys);

}  // namespace rlctl
