#include "redis/soak_traffic.h"

#include "io/clock.h"
#include "limiter/wrapper.h"
#include "redis/private_redis.h"
#include "run/drive.h"

namespace rlctl::test {
namespace {

constexpr std::int64_t kSoakPauseUs = 20'000;
constexpr std::int64_t kStuckAfterUs = 30'000'000;
constexpr ReplicaWait kOneReplica{.replicas = 1, .timeout_us = 300'000};

// Memory that is in use from the beginning, so that what the clients need stands out.
template <typename Values>
void reserve_at_once(Values& values, std::size_t count) {
  values.resize(count);
  values.clear();
}

}  // namespace

std::string soak_key(int number, const std::string& name) {
  return "{k" + std::to_string(number) + "}" + name;
}

SoakLimiter::SoakLimiter(Script script, const Rule& rule, std::int64_t timeout_us,
                         std::size_t most_requests)
    : call(with_stamps(std::move(script)), policy_of({rule})) {
  const Manifest& manifest = call.script().manifest;
  log.algorithm = call.script().name;
  log.policy = policy_of({rule});
  log.contract = manifest.promises(log.policy.numbers());
  log.terms.tolerance_us = tolerance_us_of(manifest);
  log.run_id = "soak";
  log.server = "redis";
  log.servers = 3;
  log.timeout_us = timeout_us;
  for (int number = 0; number < kSoakKeys; ++number)
    log.keys.push_back(soak_key(number, log.algorithm));
  reserve_at_once(log.records, most_requests);
  reserve_at_once(tickets, most_requests);
}

void SoakTraffic::start(std::size_t users, std::int64_t until_us) {
  for (std::size_t i = 0; i < users; ++i) {
    User& user = users_.emplace_back();
    user.redis = deployment_.client();
    loop_.run(user.redis->connect());
    for (SoakLimiter* limiter : limiters_)
      user.limiters.push_back(make_limiter(*user.redis, limiter->call, kOneReplica));
  }
  for (std::size_t i = 0; i < users; ++i) loop_.spawn(play(i, until_us));
}

Task<Outcome> SoakTraffic::ask(User& user, std::size_t limiter, std::uint32_t key) {
  SoakLimiter& asked = *limiters_[limiter];
  ++asked.offered;
  const std::uint32_t number = ++last_ticket_;
  const std::string ticket = std::to_string(number);
  const std::int64_t taken_us = now_us();
  Attempt attempt{asked.log.keys[key]};
  attempt.ticket = ticket;
  const Decision decision = co_await user.limiters[limiter]->decide(attempt);
  asked.log.records.push_back(
      make_record({.intended_us = taken_us, .key = key}, decision, taken_us));
  asked.tickets.push_back(number);
  co_return decision.outcome;
}

Task<> SoakTraffic::play(std::size_t user, std::int64_t until_us) {
  for (std::size_t turn = user; now_us() < until_us; ++turn) {
    const auto key = static_cast<std::uint32_t>(turn * 7 / limiters_.size() % kSoakKeys);
    co_await ask(users_[user], turn % limiters_.size(), key);
    co_await loop_.until(now_us() + kSoakPauseUs);
  }
}

Task<bool> SoakTraffic::is_stuck(std::size_t user) {
  for (const std::int64_t deadline_us = now_us() + kStuckAfterUs; now_us() < deadline_us;) {
    const Outcome outcome = co_await ask(users_[user], 0, 0);
    if (outcome <= Outcome::denied && users_[user].redis->is_open()) co_return false;
    co_await loop_.until(now_us() + kSoakPauseUs);
  }
  co_return true;
}

std::size_t SoakTraffic::stuck() {
  std::size_t stuck = 0;
  for (std::size_t user = 0; user < users_.size(); ++user) stuck += loop_.run(is_stuck(user));
  return stuck;
}

}  // namespace rlctl::test
