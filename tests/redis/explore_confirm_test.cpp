// A finding on the model is played again on a real server; if the server answers otherwise, it is
// not confirmed.
#include <doctest/doctest.h>

#include "run/explore/confirm.h"
#include "run/explore/trace.h"
#include "tools/incr_then_expire.h"

namespace rlctl::test {
namespace {

constexpr std::int64_t kConfirmStart = 2'000'000'000'000'000;

Script script_of(const std::string& text) {
  Script script;
  script.text = text;
  return script;
}

struct Bench {
  explicit Bench(std::vector<std::int64_t> time_steps_us = {}) : program(2) {
    rules.clients = 3;
    policy = policy_of({Rule{.limit = 2, .window_us = 60'000'000}});
    rules.contract = policy.rules;
    rules.start_us = kConfirmStart;
    rules.events.crash = true;
    rules.events.time_steps_us = std::move(time_steps_us);
  }

  ExploreViolation walked(const std::string& schedule, ExploreFinding finding) {
    ExploreSpace space(rules, program, RedisModel(3, kConfirmStart));
    WalkedSchedule walked = walk_schedule(space, parse_schedule(schedule));
    ExploreViolation violation;
    violation.finding = finding;
    violation.trace = std::move(walked.trace);
    violation.keys = space.keys_without_expiry(walked.end);
    return violation;
  }

  IncrThenExpire program;
  ExploreRules rules;
  Policy policy;
  ExploreConfirmer confirmer{{}};
};

}  // namespace

TEST_CASE("a finding that a real server repeats is confirmed") {
  Bench bench({61'000'000});
  for (const auto& [schedule, finding] :
       {std::pair{"0,c0", ExploreFinding::blocked_for_ever},
        std::pair{"0,c0,1", ExploreFinding::key_without_expiry},
        std::pair{"0,0,1,2", ExploreFinding::over_admission},
        std::pair{"0,0,1,t,2,2", ExploreFinding::over_admission}}) {
    CAPTURE(schedule);
    ExploreViolation violation = bench.walked(schedule, finding);
    bench.confirmer.confirm(bench.rules, bench.program, script_of("return 1"), bench.policy,
                            violation);
    CHECK(violation.doubt == "");
    CHECK(violation.confirmed);
  }
  CHECK(bench.confirmer.server().find(" ") != std::string::npos);
}

TEST_CASE("a finding that a real server does not repeat is reported as not confirmed") {
  Bench bench;
  ExploreViolation violation = bench.walked("0,0,1,2", ExploreFinding::over_admission);
  violation.trace.back().outcome = Outcome::allowed;  // as a wrong model would show it
  bench.confirmer.confirm(bench.rules, bench.program, script_of("return 1"), bench.policy,
                          violation);
  CHECK_FALSE(violation.confirmed);
  CHECK(violation.doubt == "client 2 got another decision than on the model");

  ExploreViolation litter = bench.walked("0,0", ExploreFinding::key_without_expiry);
  litter.keys = {"count"};
  bench.confirmer.confirm(bench.rules, bench.program, script_of("return 1"), bench.policy, litter);
  CHECK_FALSE(litter.confirmed);
  CHECK(litter.doubt == "the key 'count' has an expiry");

  ExploreViolation blocked = bench.walked("0,0", ExploreFinding::blocked_for_ever);
  bench.confirmer.confirm(bench.rules, bench.program, script_of("return 1"), bench.policy, blocked);
  CHECK_FALSE(blocked.confirmed);
  CHECK(blocked.doubt == "later requests were admitted");
}

}  // namespace rlctl::test
