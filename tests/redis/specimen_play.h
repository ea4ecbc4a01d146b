// Plays a specimen on a real server and records its commands. For a script that Redis runs they
// come from MONITOR. A script that runs step by step yields one command at a time, so that a test
// can insert others in between. The arguments are filled in here and not by the product. Times are
// ms. Reports failures by exceptions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/redis/reply.h"
#include "limiter/client_script.h"
#include "limiter/expression.h"
#include "limiter/registry.h"
#include "redis_fixture.h"

namespace rlctl::test {

// The start of a minute, in ms since 1970.
inline constexpr std::int64_t kMinute = 60'000;
inline constexpr std::int64_t kStart = 1'763'683'980'000;
static_assert(kStart % kMinute == 0);

// The values for the arguments.
struct Terms {
  std::int64_t limit = 0;
  std::int64_t window_ms = 60'000;
  std::int64_t capacity = 0;
};

// A decision and all commands that it sent to Redis: "INCR k; EXPIRE k 60".
struct Heard {
  bool allowed = false;
  std::string commands;
};

class Specimen {
 public:
  Specimen(const Server& server, const std::string& name, Terms terms);

  // The whole decision at this time of the client's clock.
  Heard decide(std::int64_t now_ms = 0);
  bool allows(std::int64_t now_ms = 0) { return decide(now_ms).allowed; }
  // How many of `count` at this time are admitted.
  std::int64_t admitted_of(std::int64_t count, std::int64_t now_ms = 0);

  // To look at the state that it left, and to change it.
  Connection& redis() { return redis_; }

  // A decision that runs step by step, on its own connection. Not for scripts that Redis runs.
  class Steps {
   public:
    Steps(Specimen& specimen, std::int64_t now_ms);
    bool has_ended() const { return step_.has_ended(); }
    void next();                      // sends its next command
    Heard finish();                   // runs all remaining steps
    void again(std::int64_t now_ms);  // another decision, on the same connection

   private:
    Specimen& specimen_;
    Connection redis_;
    ClientScript::Run run_;
    ScriptStep step_;
    std::string commands_;
  };
  Steps begin(std::int64_t now_ms = 0) { return Steps(*this, now_ms); }

  // `count` clients, each with a connection, all of which take their n-th step before anyone takes
  // the n+1-th; `gap_ms` between the times they say it is. How many were admitted.
  std::int64_t admitted_in_lockstep(std::int64_t count, std::int64_t now_ms = 0,
                                    std::int64_t gap_ms = 0);

  // Makes a key expire now; it must have a TTL.
  void expire(const std::string& key = "k");
  // Whether the key has just been given this time to live.
  bool lives_for(std::int64_t ttl_ms, const std::string& key = "k");

 private:
  std::vector<std::string> keys(std::int64_t now_ms) const;
  std::vector<std::string> arguments(std::int64_t now_ms);
  std::string text_of(const Argument& argument, std::int64_t now_ms);
  bool is_allowed(const Reply& reply);
  Heard decide_on_server(std::int64_t now_ms);

  const Server& server_;
  Script script_;
  Terms terms_;
  Connection redis_;
  std::optional<Monitor> monitor_;
  std::unique_ptr<ClientScript> steps_;
  std::unique_ptr<Expressions> expressions_;
  std::int64_t uuids_ = 0;
};

}  // namespace rlctl::test
