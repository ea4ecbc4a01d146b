// SoakTraffic over a cluster of three masters and three replicas, with a fault every half second:
// slots move, replicas take over, connections are cut, scripts are forgotten. Nothing may be lost:
// every request has one outcome, what Redis counted is what was answered, and the memory that the
// clients need does not grow. RLCTL_SOAK_S: its seconds.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

#include "io/clock.h"
#include "io/redis/deployment/deployment.h"
#include "limiter/script_limiter.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// Two keys in one slot: while it moves, one may be here and one there. It counts every request.
constexpr const char* kCountTwice =
    "-- Counts.\n"
    "-- rlctl: keys  = <key>, <key>:twice\n"
    "-- rlctl: args  = limit\n"
    "-- rlctl: reply = allowed = reply <= limit\n"
    "local n = redis.call('INCR', KEYS[1])\n"
    "if redis.call('INCR', KEYS[2]) ~= n then return redis.error_reply('ERR they differ') end\n"
    "return n\n";

constexpr std::int64_t kSoakLimit = 500;
constexpr std::size_t kSoakUsers = 12;
constexpr int kSoakKeys = 20;
constexpr std::int64_t kSoakPauseUs = 2'000;
constexpr std::int64_t kFaultEveryUs = 500'000;

std::string soak_key(int number) { return "{k" + std::to_string(number) + "}"; }
std::string soak_probe(int number) { return soak_key(number) + "probe"; }

struct SoakTally {
  std::int64_t offered = 0;
  std::array<std::int64_t, 4> by_outcome{};  // in the order of Outcome
};

struct SoakTraffic {
  std::int64_t until_us = 0;
  std::map<std::string, SoakTally> keys;
};

Task<> soak_user(Loop& loop, Limiter& limiter, SoakTraffic& traffic, std::size_t user) {
  for (std::size_t turn = user; now_us() < traffic.until_us; ++turn) {
    const std::string key = soak_key(static_cast<int>(turn % kSoakKeys));
    SoakTally& tally = traffic.keys[key];
    ++tally.offered;
    const Decision decision = co_await limiter.decide({key, 1, kNoTime});
    ++tally.by_outcome.at(static_cast<std::size_t>(decision.outcome));
    co_await loop.until(now_us() + kSoakPauseUs);
  }
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kGrowthMib = 300;  // freed memory stays in its quarantine
#else
constexpr std::int64_t kGrowthMib = 16;
#endif

std::int64_t resident_mib() {
  std::int64_t whole = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident;
  return resident * sysconf(_SC_PAGESIZE) / (1 << 20);
}

// A replica takes over without losing anything: its master waits for it.
Task<> fail_over(ClusterSteering& cluster, std::size_t master) {
  const std::optional<std::size_t> replica = co_await cluster.replica_of(master);
  if (replica) co_await cluster.take_over(*replica, master, true);
}

void play_fault(TestCluster& servers, int number) {
  const std::size_t node = static_cast<std::size_t>(number) % 6;
  switch (number % 4) {
    case 0:
      servers.loop().run(fail_over(servers.cluster().steering(), node));
      break;
    case 1:
      servers.command(node, {"CLIENT", "KILL", "TYPE", "normal"});
      break;
    case 2:
      servers.command(node, {"SCRIPT", "FLUSH"});
      break;
    default: {
      const std::size_t to = servers.node_of(soak_probe((number + 7) % kSoakKeys));
      const std::string slot = soak_probe(number % kSoakKeys);
      if (servers.node_of(slot) == to) break;
      servers.begin_migration(slot, to);
      servers.loop().run(pause(servers.loop(), kFaultEveryUs / 10));
      servers.end_migration(slot, to);
    }
  }
}

std::int64_t soak_us() {
  const char* seconds = std::getenv("RLCTL_SOAK_S");
  return std::atoll(seconds != nullptr ? seconds : "60") * 1'000'000;
}

}  // namespace

TEST_CASE("soak: over a cluster under faults nothing is lost and nothing is invented") {
  TestCluster servers({3, 3});
  Loop& loop = servers.loop();
  Deployment deployment(loop, servers.endpoint());
  loop.run(deployment.discover());
  ScriptCall call(make_script("count.lua", kCountTwice),
                  policy_of({Rule{.limit = kSoakLimit, .window_us = 3'600'000'000}}));
  std::vector<std::unique_ptr<RedisClient>> clients;
  std::vector<std::unique_ptr<Limiter>> limiters;
  SoakTraffic traffic{now_us() + soak_us(), {}};
  for (std::size_t user = 0; user < kSoakUsers; ++user) {
    clients.push_back(deployment.client());
    loop.run(clients.back()->connect());
    limiters.push_back(make_limiter(*clients.back(), call));
    loop.spawn(soak_user(loop, *limiters.back(), traffic, user));
  }
  int faults = 0;
  const std::int64_t warm_us = traffic.until_us - soak_us() * 2 / 3;
  std::int64_t warm_mib = 0;
  for (; now_us() < traffic.until_us; ++faults) {
    if (warm_mib == 0 && now_us() > warm_us) warm_mib = resident_mib();
    play_fault(servers, faults);
    loop.run(pause(loop, kFaultEveryUs));
  }
  const std::int64_t end_mib = resident_mib();
  loop.run(loop.join());

  CHECK(faults > 0);
  REQUIRE(traffic.keys.size() == kSoakKeys);
  SoakTally all;
  for (const auto& [key, tally] : traffic.keys) {
    CAPTURE(key);
    const auto [allowed, denied, unknown, failed] = tally.by_outcome;
    CHECK(tally.offered == allowed + denied + unknown + failed);
    const Exchange counted = loop.run(send_words(*clients.front(), {"GET", key}));
    const std::int64_t in_redis = std::atoll(counted.reply.text.c_str());
    // An unanswered request that Redis counted was decided; a failed one never is.
    CHECK(in_redis >= allowed + denied);
    CHECK(in_redis <= allowed + denied + unknown);
    CHECK(allowed <= kSoakLimit);
    CHECK(allowed + unknown >= std::min(kSoakLimit, in_redis));
    all.offered += tally.offered;
    for (std::size_t i = 0; i < tally.by_outcome.size(); ++i)
      all.by_outcome.at(i) += tally.by_outcome.at(i);
  }
  const auto [allowed, denied, unknown, failed] = all.by_outcome;
  MESSAGE(faults << " faults; " << all.offered << " offered, " << allowed << " allowed, " << denied
                 << " denied, " << unknown << " unknown, " << failed << " failed; " << warm_mib
                 << " MiB after a third, " << end_mib << " at the end");
  CHECK(allowed + denied > 1'000);
  CHECK(end_mib <= warm_mib + kGrowthMib);
  for (const auto& client : clients) CHECK(client->is_open());
}
