#include "inspect/doctor/server_exam.h"

#include <doctest/doctest.h>

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
