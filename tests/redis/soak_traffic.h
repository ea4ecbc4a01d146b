// The traffic of a soak: users that ask several limiters in turn, each over a connection of its
// own, and the log of every decision. An admission counts only if a replica has confirmed it, so
// whatever takes over knows it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/redis/deployment/deployment.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"
#include "log/record.h"

namespace rlctl::test {

constexpr int kSoakKeys = 20;
// All keys of one number are in one slot.
std::string soak_key(int number, const std::string& name);

// One limiter, and what it decided.
struct SoakLimiter {
  SoakLimiter(Script script, const Rule& rule, std::int64_t timeout_us, std::size_t most_requests);

  ScriptCall call;
  Log log;
  std::vector<std::uint32_t> tickets;  // of each record: what the script was given as its uuid
  std::int64_t offered = 0;
};

class SoakTraffic {
 public:
  SoakTraffic(Loop& loop, Deployment& deployment) : loop_(loop), deployment_(deployment) {}

  // Before start(). Borrowed.
  void add(SoakLimiter& limiter) { limiters_.push_back(&limiter); }
  // So many users, until then. Returns when all are connected.
  void start(std::size_t users, std::int64_t until_us);
  // After the end: how many users get no decision any more, though each tries for a while.
  std::size_t stuck();

 private:
  struct User {
    std::unique_ptr<RedisClient> redis;
    std::vector<std::unique_ptr<Limiter>> limiters;  // in the order of limiters_
  };
  Task<> play(std::size_t user, std::int64_t until_us);
  Task<Outcome> ask(User& user, std::size_t limiter, std::uint32_t key);
  Task<bool> is_stuck(std::size_t user);

  Loop& loop_;
  Deployment& deployment_;
  std::vector<SoakLimiter*> limiters_;
  std::vector<User> users_;
  std::uint32_t last_ticket_ = 0;
};

}  // namespace rlctl::test
