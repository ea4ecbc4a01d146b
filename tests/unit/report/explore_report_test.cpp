// The text and JSON of an exploration, from a hand-made result.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"
#include "report/documents.h"
#include "report/explore_text.h"
#include "result/codec.h"

namespace rlctl {
namespace {

TraceStep command(std::size_t client, const std::string& text, const std::string& reply) {
  TraceStep step;
  step.client = client;
  step.text = text;
  step.reply = reply;
  return step;
}

TraceStep admission(std::size_t client, std::int64_t number) {
  TraceStep step;
  step.kind = TraceKind::decision;
  step.client = client;
  step.outcome = Outcome::allowed;
  step.admitted = number;
  return step;
}

ExploreResult race() {
  ExploreResult result;
  result.algorithm = "mine";
  result.clients = 2;
  result.on_client = true;
  result.contract = {Rule{.limit = 1, .window_us = 60'000'000}};
  result.verdict = VerdictKind::violated;
  result.server = "Redis 7.0.15";
  result.command = "rlctl explore mine.lua --users 2 --limit 1 --window 1m";
  ExplorePass pass;
  pass.counts.schedules = 6;
  pass.counts.violating = 4;
  pass.states = 9;
  pass.steps = 9;
  pass.runs = 3;
  result.passes = {pass};
  ExploreViolation violation;
  violation.preemptions = 1;
  violation.steps = 4;
  violation.broken = result.contract;
  violation.admitted = 2;
  violation.schedule = "0,1,1,0";
  violation.confirmed = true;
  TraceStep read = command(1, "GET k", "nothing");
  read.interrupted = "INCR k";
  read.interrupted_client = 0;
  violation.trace = {command(0, "GET k", "nothing"), read,
                     command(1, "INCR k", "1"),      admission(1, 1),
                     command(0, "INCR k", "2"),      admission(0, 2)};
  violation.trace.back().breaks = true;
  result.violations = {violation};
  return result;
}

}  // namespace

TEST_CASE("a race is a trace with a column per client") {
  CHECK(explore_text(race()) == R"(violated: 2 admissions; the promise is at most 1 in any 1m

  mine, 2 clients, step by step: at most 1 in any 1m
  clients alone: all 6 schedules, in 3 runs (9 states, 9 steps)
    4 admit too many

2 admissions; the promise is at most 1 in any 1m (1 preemption, 4 steps)

  step  client 0                    client 1
  ----  --------------------------  --------------------------  ------------------------------------
     1  GET k -> nothing
        (next: INCR k)
     2                              GET k -> nothing
     3                              INCR k -> 1
                                    => ADMITTED, number 1 of 1
     4  INCR k -> 2
        => ADMITTED, number 2 of 1                              <-- broken here: at most 1 in any 1m

  confirmed on a real server (Redis 7.0.15), step by step
  to replay it: rlctl explore mine.lua --users 2 --limit 1 --window 1m --replay 0,1,1,0
)");
}

TEST_CASE("on a terminal that is too narrow for a column per client, a step has one line") {
  const std::string text = explore_text(race(), 60);
  const std::size_t begin = text.find("  step  client");
  for (const std::string& line : split(text.substr(begin, text.find("confirmed") - begin), '\n'))
    CHECK(display_width(line) <= 60);
  CHECK(text.find("step  client\n") != std::string::npos);
  CHECK(explore_text(race(), 200) == explore_text(race()));
}

TEST_CASE("a finding that the real server did not confirm is reported prominently") {
  ExploreResult result = race();
  result.violations[0].confirmed = false;
  result.violations[0].doubt = "client 1 got another decision than on the model";
  const std::string text = explore_text(result);
  CHECK(text.find("NOT CONFIRMED on a real server: client 1 got another") != std::string::npos);
  CHECK(text.find("  confirmed on") == std::string::npos);
}

TEST_CASE("a schedule that was found at random may not be the shortest") {
  ExploreResult result = race();
  CHECK(explore_text(result).find("may be a shorter one") == std::string::npos);
  result.violations[0].by_chance = true;
  CHECK(explore_text(result).find("(1 preemption, 4 steps; found at random: there may be a "
                                  "shorter one)") != std::string::npos);
  CHECK(to_json(document_of(result))["violations"][0]["by_chance"] == true);
}

TEST_CASE("a search that was cut short reports its coverage") {
  ExploreResult result = race();
  result.verdict = VerdictKind::inconclusive;
  result.violations.clear();
  ExplorePass& pass = result.passes[0];
  const auto says = [&](const char* words) {
    return explore_text(result).find(words) != std::string::npos;
  };
  pass.coverage = Coverage::preemptions;
  pass.preemptions_covered = 0;
  CHECK(says("clients alone: all schedules without a preemption, in 3 runs"));
  pass.preemptions_covered = 1;
  CHECK(says("clients alone: all schedules with up to 1 preemption, in 3 runs"));
  pass.coverage = Coverage::random;
  pass.random = {10'000, 7, 3, 16, 160, {3'334, 3'333, 3'333}};
  CHECK(says("up to 1 preemption, and 10,000 random schedules (seed 7), in"));
  CHECK(says("schedules of up to 160 steps by 16 threads can show was missed by the random ones"));
  CHECK(says("a probability of less than 1e-93 if it needs 1 ordering of two steps (3,334 runs)"));
  // 2,559 / 2,560 to the power of 3,333
  CHECK(says("a probability of at most 0.272 if it needs 2 orderings of two steps (3,333 runs)"));
  CHECK(says("a probability of at most 0.992 if it needs 3 orderings of two steps (3,333 runs)"));
  pass.preemptions_covered = -1;
  CHECK(says("some of the schedules without a preemption, and 10,000 random schedules"));
}

TEST_CASE("a single schedule is told as one") {
  ExploreResult result = race();
  result.passes[0].counts.schedules = result.passes[0].counts.violating = 1;
  const std::string text = explore_text(result, 0);
  CHECK(text.find("clients alone: the only schedule, in 3 runs") != std::string::npos);
  CHECK(text.find("    1 admits too many\n") != std::string::npos);
}

TEST_CASE("the JSON of an exploration has everything that the text has") {
  const nlohmann::ordered_json json = to_json(document_of(race()));
  CHECK(json["verdict"] == "violated");
  CHECK(json["passes"][0]["schedules"] == 6);
  CHECK(json["passes"][0]["runs"] == 3);
  const auto& violation = json["violations"][0];
  CHECK(violation["replay"] == "0,1,1,0");
  CHECK(violation["trace"].size() == 6);
  CHECK(violation["trace"][1]["interrupted"] == "INCR k");
  CHECK(violation["trace"][3]["outcome"] == "allowed");
  CHECK(violation["trace"][5]["breaks"] == true);
}

TEST_CASE("counts beyond 2^53 are strings of digits in the JSON") {
  ExploreResult result = race();
  ScheduleCount large = 1;
  for (int i = 0; i < 60; ++i) large += large;
  result.passes[0].counts.schedules = large;
  CHECK(to_json(document_of(result))["passes"][0]["schedules"] == "1152921504606846976");
  CHECK(explore_text(result).find("all about 1.2e+18 schedules") != std::string::npos);
}

}  // namespace rlctl
