#include "inspect/doctor/server_exam.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/units.h"

using namespace rlctl;

namespace {

std::vector<std::string> examined(const ServerFacts& facts) {
  HealthFindings findings;
  examine(facts, findings);
  std::vector<std::string> names;
  for (const HealthFinding& finding : findings) names.emplace_back(finding.row().name);
  return names;
}

using Names = std::vector<std::string>;

ServerFacts told(const std::string& info) {
  ServerFacts facts;
  read_info(info, facts);
  return facts;
}

}  // namespace

TEST_CASE("eviction, and a memory that is nearly full") {
  CHECK(
      examined(told("\r\nmaxmemory:1000\r\nused_memory:10\r\nmaxmemory_policy:allkeys-lru\r\n")) ==
      Names{"eviction"});
  CHECK(
      examined(told("\r\nmaxmemory:1000\r\nused_memory:950\r\nmaxmemory_policy:noeviction\r\n")) ==
      Names{"nearly-full"});
  CHECK(examined(told("\r\nmaxmemory:0\r\nused_memory:950\r\nmaxmemory_policy:allkeys-lru\r\n"))
            .empty());
}

TEST_CASE("a memory that is full, as far as its bound counts, and not that of a replica") {
  const std::string full =
      "\r\nmaxmemory:1000\r\nused_memory:1100\r\nmaxmemory_policy:noeviction\r\n";
  CHECK(examined(told(full)) == Names{"full-memory"});
  CHECK(examined(told(full + "mem_not_counted_for_evict:99\r\n")) == Names{"full-memory"});
  CHECK(examined(told(full + "mem_not_counted_for_evict:100\r\n")) == Names{"nearly-full"});
  CHECK(examined(told(full + "role:slave\r\nmaster_host:m\r\nmaster_port:1\r\n")) ==
        Names{"nearly-full"});
}

TEST_CASE("too few replicas refuse the writes of a master, and only of a master") {
  const auto needs = [](std::optional<std::int64_t> least, const std::string& info) {
    ServerFacts facts = told("\r\n" + info + "\r\n");
    facts.least_replicas = least;
    return examined(facts);
  };
  CHECK(needs(1, "min_slaves_good_slaves:0") == Names{"too-few-replicas"});
  CHECK(needs(2, "min_slaves_good_slaves:1") == Names{"too-few-replicas"});
  CHECK(needs(2, "min_slaves_good_slaves:2").empty());
  CHECK(needs(2, "role:master").empty());  // min-replicas-max-lag 0: it does not count
  CHECK(needs(1, "min_slaves_good_slaves:0\r\nrole:slave").empty());
  CHECK(needs({}, "min_slaves_good_slaves:0") == Names{"too-few-replicas"});
  CHECK(needs({}, "min_slaves_good_slaves:1").empty());
}

TEST_CASE("a save that failed is an ailment if the server refuses writes for it") {
  for (const char* info : {"rdb_last_bgsave_status:err", "aof_last_write_status:err"}) {
    ServerFacts facts = told("\r\n" + std::string(info) + "\r\n");
    CHECK(examined(facts).empty());
    facts.refuses_unsaved = true;
    CHECK(examined(facts) == Names{"failed-save"});
  }
}

TEST_CASE("Sentinels without a replica, and a replica that takes writes") {
  const auto watched = [](const std::string& info) {
    ServerFacts facts = told("\r\n" + info + "\r\n");
    facts.sentinels = 3;
    return examined(facts);
  };
  CHECK(watched("role:master\r\nconnected_slaves:0") == Names{"no-failover"});
  CHECK(watched("role:master\r\nconnected_slaves:1\r\nslave0:state=online").empty());
  CHECK(watched("").empty());  // INFO is refused
  CHECK(examined(told("\r\nrole:master\r\nconnected_slaves:0\r\n")).empty());
  CHECK(examined(told("\r\nrole:slave\r\nslave_read_only:0\r\n")) == Names{"writable-replica"});
  CHECK(examined(told("\r\nrole:slave\r\nslave_read_only:1\r\n")).empty());
}

TEST_CASE("slots that nobody serves are told once, by the node that sees the most of it") {
  const auto told_by = [](const std::vector<std::string>& nodes) {
    std::vector<ServerFacts> all;
    for (const std::string& info : nodes) {
      all.emplace_back();
      all.back().name = "n:" + std::to_string(all.size());
      all.back().cluster = read_cluster_info(info);
    }
    HealthFindings findings;
    examine_together(all, findings);
    std::vector<std::string> seen;
    for (const HealthFinding& finding : findings) seen.push_back(finding.seen);
    return seen;
  };
  const auto node = [](const char* state, int assigned, int pfail, int fail) {
    return fmt::format(
        "cluster_state:{}\r\ncluster_slots_assigned:{}\r\ncluster_slots_pfail:{}\r\n"
        "cluster_slots_fail:{}\r\n",
        state, assigned, pfail, fail);
  };
  const std::string well = node("ok", 16384, 0, 0);
  CHECK(told_by({}).empty());
  CHECK(told_by({well, well, ""}).empty());
  CHECK(told_by({node("ok", 16384, 5461, 0)}).empty());  // perhaps only this node does not see it
  CHECK(told_by({well, node("fail", 16382, 0, 0)}) ==
        Names{"n:2: 2 of 16,384 slots are not served; cluster_state is fail: all keys are refused "
              "(CLUSTERDOWN)"});
  CHECK(told_by({node("ok", 16384, 0, 5461), node("ok", 16384, 5461, 0)}) ==
        Names{"n:1: 5,461 of 16,384 slots are not served; cluster_state is ok: only the keys of "
              "these slots are refused, or get no answer"});
  CHECK(told_by({node("fail", 16384, 10923, 0)}) ==
        Names{"n:1: 10,923 of 16,384 slots are not served; cluster_state is fail: all keys are "
              "refused (CLUSTERDOWN)"});
}

TEST_CASE("replicas that lag, are silent or are away") {
  const std::string head = "\r\nmaster_repl_offset:9000000\r\nconnected_slaves:1\r\n";
  const auto with = [&](const std::string& replica) {
    return examined(told(head + "slave0:ip=127.0.0.1,port=6380," + replica + "\r\n"));
  };
  CHECK(with("state=online,offset=9000000,lag=1").empty());
  CHECK(with("state=online,offset=1000,lag=0") == Names{"replica-lag"});
  CHECK(with("state=online,offset=9000000,lag=30") == Names{"replica-lag"});
  CHECK(with("state=wait_bgsave,offset=0,lag=0") == Names{"replica-lag"});
}

TEST_CASE("a clock that is certainly off") {
  ServerFacts facts;
  facts.clock_low_us = -50'000;
  facts.clock_high_us = 3 * kSecondUs;  // one slow answer proves nothing
  CHECK(examined(facts).empty());
  facts.clock_low_us = 2 * kSecondUs;
  CHECK(examined(facts) == Names{"clock-offset"});
  facts.clock_low_us = -5 * kSecondUs;
  facts.clock_high_us = -4 * kSecondUs;
  CHECK(examined(facts) == Names{"clock-offset"});
}

TEST_CASE("the clock of a server against ours, as far as it is known") {
  const auto told = [](std::int64_t low_us, std::int64_t high_us) {
    ServerFacts facts;
    facts.clock_low_us = low_us, facts.clock_high_us = high_us;
    return clock_in_words(facts);
  };
  CHECK(told(0, 0) == "its clock is not known");
  CHECK(told(-80, 20) == "its clock is at most 80 µs from that of this machine");
  CHECK(told(1'000, 1'200) == "its clock is 1.00 ms to 1.20 ms ahead of that of this machine");
  CHECK(told(-1'200, -1'000) == "its clock is 1.00 ms to 1.20 ms behind that of this machine");
}

TEST_CASE("two clocks that are apart, and a node that does most of the work") {
  const auto told_together = [](std::vector<ServerFacts> all) {
    HealthFindings findings;
    examine_together(all, findings);
    std::vector<std::string> seen;
    for (const HealthFinding& finding : findings) seen.push_back(finding.seen);
    return seen;
  };
  ServerFacts a, b;
  a.name = "a:1", b.name = "b:2";
  a.clock_low_us = 79'000, a.clock_high_us = 81'000;
  b.clock_low_us = -82'000, b.clock_high_us = -80'000;
  CHECK(told_together({a}).empty());
  CHECK(told_together({a, b}) == Names{"the clock of a:1 is 159 ms ahead of that of b:2"});
  b.clock_low_us = a.clock_low_us, b.clock_high_us = a.clock_high_us;
  a.uptime_s = 100, b.uptime_s = 50;
  a.commands = 1'000'000, b.commands = 400'000;
  CHECK(told_together({a, b}).empty());
  b.commands = 200'000;
  CHECK(told_together({a, b}) ==
        Names{"a:1: 10,000 commands per second since its start 1 m 40 s ago, the other 4,000"});
  a.commands = 900, b.commands = 1;
  CHECK(told_together({a, b}).empty());
}

TEST_CASE("Redis before 5 refuses writes after TIME, 5 and 6 if they are told to") {
  const auto refuses = [](const std::string& version, std::optional<bool> effects = {}) {
    ServerFacts facts = told("\r\nredis_version:" + version + "\r\n");
    facts.replicates_effects = effects;
    return refuses_random_scripts(facts);
  };
  CHECK(refuses("4.0.14"));
  CHECK(refuses("3.2.13"));
  CHECK_FALSE(refuses("5.0.14"));
  CHECK(refuses("6.2.1", false));
  CHECK_FALSE(refuses("6.2.1", true));
  CHECK_FALSE(refuses("7.0.15"));
  CHECK_FALSE(refuses(""));
}

TEST_CASE("findings of one kind are told once, with their number and the first of them") {
  HealthFindings findings;
  for (int i = 1; i <= 5; ++i)
    findings.push_back({Ailment::no_persistence, "node " + std::to_string(i)});
  findings.push_back({Ailment::eviction, "node 1"});
  sort_findings(findings);
  const std::string text = in_words(findings);
  INFO(text);
  CHECK(text.starts_with("critical: eviction\n  seen  node 1\n  then  "));
  CHECK(text.find(
            "\n\ninfo: no-persistence, 5 times\n  seen  node 1\n        node 2\n        node 3\n"
            "        and 2 more; --json has all of them\n  then  ") != text.npos);
}
