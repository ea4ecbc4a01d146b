// Which rules so few requests can't break, and the options that test them.
#include "run/explore/tested_rules.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMinuteEdgeUs = 2'000'000'040'000'000;

ExploreRules requests(const char* rules, std::size_t clients,
                      const std::vector<std::int64_t>& steps_us = {}) {
  ExploreRules asked;
  asked.contract = parse_rules(rules, "test");
  asked.clients = clients;
  asked.start_us = kMinuteEdgeUs;
  asked.events.time_steps_us = steps_us;
  return asked;
}

bool names(const ExploreRules& asked, const std::string& options) {
  const std::vector<std::string> untested = untested_rules(asked);
  const std::string told = untested.empty() ? "" : untested.back();
  CAPTURE(told);
  const bool is_named = told.ends_with(options);
  CHECK(is_named);
  return is_named;
}

}  // namespace

TEST_CASE("a rule is tested by one request more than it admits at once") {
  for (const char* rules : {"2/1m", "2/1m fixed", "2/1m first-hit", "bucket 2 + 1/1m",
                            "2 in flight", "2 in flight, lease 1m"}) {
    CAPTURE(rules);
    CHECK(untested_rules(requests(rules, 3)).empty());
    names(requests(rules, 2), "so it was not tested: use --users 3");
  }
}

TEST_CASE("a rule behind another one needs requests for which the other has room again") {
  CHECK(untested_rules(requests("2/1m & 5/1h", 3, {30 * kMinuteUs})).at(0) ==
        "no order of 3 requests can break '5/1h' alone, so it was not tested: use --users 6 "
        "--time-steps 1m,1m");
  CHECK(untested_rules(requests("2/1m & 5/1h", 6, {kMinuteUs, kMinuteUs})).empty());
  names(requests("2/1m & 5/1h", 5, {kMinuteUs, kMinuteUs}), "use --users 6");
  names(requests("2/1m & 5/1h", 6, {kMinuteUs - 1, kMinuteUs}), "--time-steps 1m,1m");
  names(requests("2/1m & 3/1h first-hit", 4), "--users 4 --time-steps 1m");
  names(requests("bucket 2 + 2/1m & 3/1h", 3), "--users 4 --time-steps 30s,30s");
}

TEST_CASE("what is held can be given back at once, so it hides no window") {
  CHECK(untested_rules(requests("2 in flight & 2/1m", 3)).at(0).find("'2 in flight'") !=
        std::string::npos);
  CHECK(untested_rules(requests("2 in flight & 2/1m", 3, {kMinuteUs})).empty());
  names(requests("2 in flight & 5/1m", 3), "use --users 6");
}

TEST_CASE("a rule that follows from another one needs no test") {
  CHECK(untested_rules(requests("2/1m & 1/1h", 2)).empty());
  CHECK(untested_rules(requests("5/1m fixed & 2/1m", 3)).empty());
  CHECK(untested_rules(requests("3 in flight & 2 in flight", 3)).empty());
}

TEST_CASE("requests on both sides of an edge break a rule behind windows with edges") {
  names(requests("2/1m fixed & 3/1m", 3), "use --users 4 --time-steps 59s,2s");
  CHECK(untested_rules(requests("2/1m fixed & 3/1m", 4, {59 * kMinuteUs / 60, kMinuteUs / 30}))
            .empty());
  names(requests("5/1m first-hit & 8/10s", 3), "use --users 10 --time-steps 59s,2s");
  names(requests("2/1s fixed & 3/1s", 3), "use --users 4 --time-steps 990ms,20ms");
}

TEST_CASE("a rule that another one implies is told, and is not untested") {
  for (const char* rules :
       {"2/1m & bucket 2 + 1/1s", "2/1m & bucket 16 + 1/1s", "2/1m fixed & bucket 4 + 1/1s",
        "bucket 2 + 1/1m & 4/1m", "2/1m & 4/2m", "bucket 2 + 1/1s & bucket 2 + 60/1m"}) {
    CAPTURE(rules);
    CHECK(implied_rules(parse_rules(rules, "test")).size() == 1);
    CHECK(joined(untested_rules(requests(rules, 3)), "; ") == "");
  }
  CHECK(implied_rules(parse_rules("2/1m & bucket 2 + 1/1s", "test")).at(0) ==
        "'bucket 2 + 1/1s' is implied by '2/1m', so it needs no test");
  for (const char* rules : {"2/1m & bucket 1 + 1/1s", "2/1m & bucket 9 + 1/1m",
                            "2/1m fixed & bucket 2 + 1/1s", "2/1m fixed & 3/1m", "2/1m & 3/90s"}) {
    CAPTURE(rules);
    CHECK(implied_rules(parse_rules(rules, "test")).empty());
  }
}

TEST_CASE("a key that expires lets a window pass") {
  ExploreRules asked = requests("2/1m & 3/1h", 4);
  CHECK(!untested_rules(asked).empty());
  asked.events.expiry = true;
  CHECK(untested_rules(asked).empty());
}

TEST_CASE("what sixteen clients can't test is told with another way") {
  for (const char* rules : {"16/1m", "2/1m & 20/1h", "9007199254740992/1ms"}) {
    CAPTURE(rules);
    names(requests(rules, 3),
          "--users 16 is the maximum; use a policy with a smaller limit, or rlctl simulate");
  }
}

TEST_CASE("the usual number of clients tests as many rules as a few more would") {
  CHECK(clients_to_test(requests("2/1m", 0), 3, 6) == 3);
  CHECK(clients_to_test(requests("5/1m", 0), 3, 6) == 6);
  CHECK(clients_to_test(requests("6/1m", 0), 3, 6) == 3);
  CHECK(clients_to_test(requests("2/1m & 4/1h", 0, {kMinuteUs, kMinuteUs}), 3, 6) == 5);
  CHECK(clients_to_test(requests("2/1m & 5/1h", 0, {30 * kMinuteUs}), 3, 6) == 3);
}

}  // namespace rlctl
