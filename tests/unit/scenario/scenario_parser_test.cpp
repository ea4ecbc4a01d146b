// Valid scenario files and their parsed form; mistakes are in scenario_mistakes_test.cpp.
#include <doctest/doctest.h>

#include "base/error.h"
#include "scenario/playable.h"
#include "scenario/read/scenario_reader.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;

TEST_CASE("the example in the README is a scenario") {
  const ParsedScenario result = parsed(whole_scenario());
  CHECK(result.mistakes == "");
  REQUIRE(result.scenario);
  const Scenario& scenario = *result.scenario;
  CHECK(scenario.name == "api-limiter");
  CHECK(scenario.seed == 42);
  CHECK(scenario.clock == ScenarioClock::wall);
  CHECK(scenario.verdict == VerdictKind::holds);
  CHECK(scenario.policies.size() == 3);
  CHECK(scenario.phases.size() == 6);
  CHECK(scenario.wall_us == 600'000'000);
  CHECK(scenario.budgets.late_share == 0.01);
}

TEST_CASE("policies keep their order, limits and scripts") {
  const Scenario scenario = *parsed(whole_scenario()).scenario;
  CHECK(scenario.policies[0].name == "api");
  CHECK(scenario.policies[0].algorithm == "sliding");
  CHECK(scenario.policies[0].policy.block_us == 60'000'000);
  CHECK(scenario.policies[1].policy.limit == 100);
  CHECK(scenario.policies[2].script == "/root/mine.lua");
  CHECK(scenario.policies[2].algorithm == "");
  CHECK(scenario.policies[2].policy.key == "rl:<user>");
}

TEST_CASE("phases are parsed, with names as indexes and times in microseconds") {
  const Scenario scenario = *parsed(whole_scenario()).scenario;
  const Phase& bot = scenario.phases[0];
  CHECK(bot.model == TrafficModel::rate);
  REQUIRE(bot.stages.size() == 1);
  CHECK(bot.stages[0].from.count == 30);
  CHECK(bot.stages[0].to.per_us == 60'000'000);
  CHECK(bot.duration_us == 300'000'000);
  const Phase& boundary = scenario.phases[1];
  CHECK(boundary.anchor == Anchor::window_edge);
  CHECK(boundary.policy == 1);
  CHECK(boundary.bursts[0].at_us == 59'900'000);
  CHECK(scenario.phases[2].bursts[0].gap_us == 120'000);
  CHECK(scenario.phases[3].model == TrafficModel::consumers);
  CHECK(scenario.phases[3].on_deny == OnDeny::retry_after);
  CHECK(scenario.phases[4].users == 3000);
  CHECK(scenario.phases[5].arrivals == ArrivalPattern::poisson);
  REQUIRE(scenario.phases[5].mix.size() == 2);
  CHECK(scenario.phases[5].mix[0].who == 1);
  CHECK(scenario.phases[5].mix[0].weight == 95);
}

TEST_CASE("faults happen at a moment of a phase") {
  const Scenario scenario = *parsed(whole_scenario()).scenario;
  REQUIRE(scenario.faults.size() == 3);
  CHECK(scenario.faults[0].at.phase == 5);
  CHECK(scenario.faults[0].at.after_us == 10'000'000);
  CHECK(scenario.faults[1].down_us == 2'000'000);
  CHECK(scenario.faults[2].by_us == 1'500'000);
}

TEST_CASE("expectations know their subject and their position") {
  const Scenario scenario = *parsed(whole_scenario()).scenario;
  REQUIRE(scenario.expectations.size() == 7);
  const Expectation& first = scenario.expectations[0];
  CHECK(first.metric->metric == Metric::peak);
  CHECK(first.selection.phase == 0U);
  CHECK(first.comparison == Comparison::at_most);
  CHECK(first.value.amount == 20'000'000);
  CHECK(first.place.line == 29);
  CHECK(first.place.column == 5);
  CHECK(scenario.expectations[1].why == "a fixed window lets 200 through");
  CHECK(scenario.expectations[3].value.unit == ValueUnit::percent);
  CHECK(scenario.expectations[3].value.amount == 100'000);
  CHECK(scenario.expectations[4].metric->statistic == Statistic::p99);
  CHECK(scenario.expectations[4].value.amount == 20'000);
  CHECK(scenario.expectations[6].selection.fault == FaultKind::redis_restart);
}

TEST_CASE("a scenario without a name gets its file's name") {
  CHECK(parsed(small_scenario()).scenario->name == "test");
}

TEST_CASE("each stage begins where the one before ended") {
  const auto result =
      parsed(replaced(small_scenario(), R"("rate": "30/1m", "for": "5m")",
                      R"("stages": [{"rate": "10/1s", "for": "10s"}, {"to": "100/s", "for": "1m"},
                    {"rate": "5/1s", "for": "1s"}])"));
  CHECK(result.mistakes == "");
  const Phase& phase = result.scenario->phases[0];
  REQUIRE(phase.stages.size() == 3);
  CHECK(phase.stages[0].to.count == 10);
  CHECK(phase.stages[1].from.count == 10);
  CHECK(phase.stages[1].to.count == 100);
  CHECK(phase.stages[2].from.count == 5);
  CHECK(phase.duration_us == 71'000'000);
}

TEST_CASE("a ramp may begin and end at zero") {
  const auto result = parsed(replaced(
      small_scenario(), R"("rate": "30/1m", "for": "5m")",
      R"("stages": [{"rate": "0/s", "to": "100/s", "for": "10s"}, {"to": "0/s", "for": "1s"},
                    {"rate": "0/s", "for": "1s"}])"));
  CHECK(result.mistakes == "");
  const Phase& phase = result.scenario->phases[0];
  REQUIRE(phase.stages.size() == 3);
  CHECK(phase.stages[0].from.count == 0);
  CHECK(phase.stages[1].to.count == 0);
}

TEST_CASE("a file's clients are read with the scenario") {
  const auto result = parsed(replaced(small_scenario(), R"({"ip": "203.0.113.7"})",
                                      R"({"file": "people.csv", "pick": "uniform"})"));
  CHECK(result.mistakes == "");
  const IdentitySpec& bot = result.scenario->identities[0];
  CHECK(bot.count == 2);
  CHECK(bot.listed[1].user == "bob");
  CHECK(bot.pick == Pick::uniform);
}

TEST_CASE("an HTTP target decides by itself, and its contract can be given") {
  std::string text = replaced(small_scenario(), R"("algo": "sliding", )",
                              R"("contract": "bucket 30 + limit/window", )");
  text = replaced(text, "virtual", "wall");
  text = replaced(text, R"("identities")",
                  R"("target": {"kind": "http", "url": "http://127.0.0.1:80/a?u=<user>",
      "headers": {"X-Forwarded-For": "<ip>"}, "allowed": [200, "3xx"], "denied": 429,
      "source_ip": "127.0.0.0/8"}, "identities")");
  // A list may be a single value.
  text = replaced(text, R"("denied": 429)", R"("denied": ["429", 503])");
  const auto result = parsed(text);
  CHECK(result.mistakes == "");
  REQUIRE(result.scenario);
  CHECK(result.scenario->target.allowed == std::vector<std::string>{"200", "3xx"});
  CHECK(result.scenario->target.denied == std::vector<std::string>{"429", "503"});
  CHECK(result.scenario->target.headers[0].second == "<ip>");
  const Rule bucket{.kind = RuleKind::bucket, .limit = 20, .window_us = 60'000'000, .capacity = 30};
  CHECK(result.scenario->policies[0].contract == Rules{bucket});
}

TEST_CASE("a rate limit service may be named by a variable") {
  const auto target = [](const std::string& url, const std::string& more) {
    std::string text = replaced(small_scenario(), R"("algo": "sliding", )", "");
    text = replaced(text, "virtual", "wall");
    return replaced(
        text, R"("identities")",
        R"("target": {"kind": "http", "url": ")" + url + '"' + more + R"(}, "identities")");
  };
  const std::string asks = R"(, "domain": "api", "descriptors": {"user": "<user>"})";
  CHECK(mistakes_in(target("${RLS}", asks)).empty());
  CHECK(mistakes_in(target("rls://${HOST}", asks)).empty());
  CHECK(mistakes_in(target("${API}", asks)).find("only a rate limit service has a domain") !=
        std::string::npos);
  CHECK(mistakes_in(target("${NONE}", asks)).find("only a rate") == std::string::npos);
  CHECK(mistakes_in(target("${RLS}", "")).find("is asked with a domain and a descriptor") !=
        std::string::npos);
  CHECK(mistakes_in(target("${RLS}", asks + R"(, "login": [{"url": "/login"}])"))
            .find("a rate limit service has no login") != std::string::npos);
}

TEST_CASE("a phase can overlap those before it") {
  const auto result = parsed(replaced(
      small_scenario(), R"("for": "5m"})",
      R"("for": "5m"}, {"name": "b", "policy": "api", "who": "bot", "rate": "1/s", "for": "1s",
         "start": "bot+10s"}, {"name": "c", "policy": "api", "who": "bot", "rate": "1/s", "for": "1s",
         "start": "90s"})"));
  CHECK(result.mistakes == "");
  CHECK(!result.scenario->phases[0].start);
  CHECK(result.scenario->phases[1].start->phase == 0);
  CHECK(result.scenario->phases[1].start->after_us == 10'000'000);
  CHECK(result.scenario->phases[2].start->phase == -1);
}

TEST_CASE("a byte order mark, CRLF and tabs do no harm") {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : small_scenario()) {
    if (c == '\n') text += '\r';
    text += c == ' ' ? '\t' : c;
  }
  CHECK(mistakes_in(replaced(text, "over_admitted\t==\t0", "over_admitted == 0")) == "");
}

TEST_CASE("faults exclude each other if one takes the Redis that the other needs, or undoes it") {
  const auto excluded = [](FaultKind one, FaultKind other, bool is_cluster = false) {
    const bool is = excludes(row_of(one), row_of(other), is_cluster);
    CHECK(excludes(row_of(other), row_of(one), is_cluster) == is);
    return is;
  };
  for (const FaultKind asking : {FaultKind::script_flush, FaultKind::client_kill,
                                 FaultKind::memory_full, FaultKind::redis_pause})
    CHECK(excluded(FaultKind::redis_restart, asking));
  for (const FaultKind without : {FaultKind::clock_skew, FaultKind::client_crash,
                                  FaultKind::latency, FaultKind::cut, FaultKind::half_open})
    CHECK_FALSE(excluded(FaultKind::redis_restart, without));
  CHECK(excluded(FaultKind::latency, FaultKind::latency));
  CHECK_FALSE(excluded(FaultKind::latency, FaultKind::script_flush));
  CHECK_FALSE(excluded(FaultKind::redis_restart, FaultKind::script_flush, true));
}

TEST_CASE("faults are refused together only if it is known that they overlap") {
  Scenario scenario = *parsed(whole_scenario()).scenario;
  CHECK_NOTHROW(check_faults_together(scenario, false));
  scenario.faults[1].down_us = 20'000'000;  // redis_restart, at mixed+20s
  CHECK_NOTHROW(check_faults_together(scenario, false));
  scenario.faults[0].at.after_us = 39'999'999;  // script_flush
  CHECK_THROWS_WITH_AS(
      check_faults_together(scenario, false),
      "script_flush at mixed+39.999999s can't be played: redis_restart at mixed+20s still lasts "
      "then, for 20s in all",
      Error);
  scenario.faults[0].at.after_us = 40'000'000;
  CHECK_NOTHROW(check_faults_together(scenario, false));
  // When a phase before ends, only the answers tell.
  scenario.faults[0].at = {4, 1'000'000};
  CHECK_NOTHROW(check_faults_together(scenario, false));
}
