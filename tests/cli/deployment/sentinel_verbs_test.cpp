// The verbs over a master that Sentinels name, and its failover in mid-run.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/support/process.h"
#include "io/clock.h"
#include "redis/sentinel_trio.h"

using nlohmann::json;
using namespace rlctl::test;

namespace {

Outcome rlctl_at(const SentinelTrio& servers, Arguments arguments) {
  arguments.insert(arguments.end(), {"--redis", servers.url()});
  return run_rlctl(arguments);
}

std::int64_t decisions_in(const std::string& stats) {
  const auto at = stats.find("cmdstat_evalsha:calls=");
  return at == stats.npos ? 0 : std::stoll(stats.substr(stats.find('=', at) + 1));
}

// How many decisions the replica has made since it is the master; empty: it is none.
std::optional<std::int64_t> decisions_of(SentinelTrio& servers, std::size_t replica) {
  const rlctl::Reply role = servers.ask_replica(replica, {"ROLE"});
  if (role.elements.empty() || role.elements.front().text != "master") return std::nullopt;
  return decisions_in(servers.ask_replica(replica, {"INFO", "commandstats"}).text);
}

// A failover while traffic is played: first the master has decisions, then its successor.
class Failover {
 public:
  explicit Failover(SentinelTrio& servers) : servers_(servers) {}

  // True when the new master has decided often.
  bool is_over() {
    constexpr std::int64_t kMany = 50;
    if (!ended_) {
      ended_ = decisions_in(servers_.ask_master({"INFO", "commandstats"}).text) >= kMany;
      if (ended_) servers_.end_master();
      return false;
    }
    for (std::size_t replica = 0; replica < SentinelTrio::kReplicas; ++replica) {
      const std::optional<std::int64_t> decisions = decisions_of(servers_, replica);
      if (!decisions) continue;
      if (replaced_us_ == 0) replaced_us_ = rlctl::now_us();
      if (*decisions > 0 && answered_us_ == 0) answered_us_ = rlctl::now_us();
      return *decisions >= kMany;
    }
    return false;
  }

  // From the new master to its first decision.
  std::int64_t took_us() const { return answered_us_ - replaced_us_; }

 private:
  SentinelTrio& servers_;
  bool ended_ = false;
  std::int64_t replaced_us_ = 0;
  std::int64_t answered_us_ = 0;
};

}  // namespace

TEST_CASE("hit, list, inspect and simulate find the master by its Sentinels") {
  SentinelTrio servers;
  const Outcome hit = rlctl_at(servers, {"hit", "rl:ann", "--limit", "5", "--window", "1h"});
  INFO(hit.err);
  CHECK(hit.exit == 0);
  CHECK(servers.ask_master({"EXISTS", "rl:ann"}).integer == 1);
  const Outcome list = rlctl_at(servers, {"list", "--json"});
  CHECK(list.exit == 0);
  CHECK(json::parse(list.out)["limiters"][0]["limiter"] == "rl:ann");
  CHECK_FALSE(contains(list.err, "replica"));
  CHECK(rlctl_at(servers, {"inspect", "ann"}).exit == 0);
  const Outcome simulate =
      rlctl_at(servers, {"simulate", "double-click", "--policy", "5/1s", "--quiet"});
  INFO(simulate.out << simulate.err);
  // A busy machine may send too late to prove anything.
  CHECK((simulate.exit == 0 || simulate.exit == 4));
}

TEST_CASE("simulate goes on after a failover that Sentinels make, and tells what was not decided") {
  SentinelTrio servers;
  Failover failover(servers);
  const Outcome played =
      run_rlctl_interrupted({"simulate", "bot", "--rate", "200/1s", "--for", "100s", "--limit", "5",
                             "--window", "1s", "--quiet", "--json", "--redis", servers.url()},
                            [&] { return failover.is_over(); });
  INFO(played.err);
  CHECK(played.exit == 130);
  const json phase = json::parse(played.out)["phases"][0];
  const auto count = [&](const char* name) { return phase[name].get<std::int64_t>(); };
  CHECK(count("failed") + count("unknown") > 0);
  CHECK(count("allowed") + count("denied") >= 80);  // before and after it
  CHECK(count("offered") ==
        count("allowed") + count("denied") + count("unknown") + count("failed"));
  // 3 s where the machine is quiet; what is certain is that it goes on.
  WARN(failover.took_us() < 3'000'000);
  CHECK(failover.took_us() < 30'000'000);
}

TEST_CASE("reset says that its master was replaced meanwhile, which has kept the removals") {
  SentinelTrio servers;
  servers.ask_master(
      {"EVAL", "for i = 1, 20000 do redis.call('SET', 'rl:' .. i, 1, 'EX', 600) end", "0"});
  const auto replace = [&] {
    if (servers.ask_master({"DBSIZE"}).integer == 20'000) return false;
    return servers.ask_sentinel({"SENTINEL", "FAILOVER", "mymaster"}).text == "OK";
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome = run_rlctl_interrupted(
      {"reset", "rl:*", "--confirm", "20000", "--json", "--redis", servers.url()}, replace,
      kNoSignal);
  INFO(outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(json::parse(outcome.out)["complete"] == false);
}
