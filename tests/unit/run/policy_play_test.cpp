// A policy of a scenario with its script, its contract and the options to judge it by.
#include "run/policy_play.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "run/played/judged_run.h"
#include "tools/contains.h"

using namespace rlctl;
using test::contains;

namespace {

PolicySpec spec_of(const std::string& algorithm) {
  PolicySpec spec;
  spec.name = "api";
  spec.algorithm = algorithm;
  spec.policy = policy_of({Rule{.limit = 20, .window_us = 60'000'000}});
  spec.policy.key = "rl:<ip>";
  return spec;
}

std::string refused(const PolicySpec& spec, TimeSource time) {
  try {
    PolicyPlay(spec, Registry(), TargetKind::embedded, time);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a policy's contract comes from its script, and the scenario may replace it") {
  PolicySpec spec = spec_of("fixed");
  PolicyPlay own(spec, Registry(), TargetKind::embedded, TimeSource::virtual_time);
  CHECK(own.log().algorithm == "fixed");
  CHECK(rules_text(own.log().contract) == "20/1m fixed");
  spec.contract = Rules{Rule{.limit = 7, .window_us = 1'000'000}};
  PolicyPlay given(spec, Registry(), TargetKind::embedded, TimeSource::virtual_time);
  CHECK(rules_text(given.log().contract) == "7/1s");
}

TEST_CASE("over HTTP there is no script, and the contract is what the scenario says") {
  PolicySpec spec = spec_of("");
  PolicyPlay unknown(spec, Registry(), TargetKind::http, TimeSource::real);
  CHECK_FALSE(unknown.runs_on_client());
  CHECK(unknown.log().algorithm == "api");
  CHECK(unknown.log().contract.empty());
  CHECK(unknown.log().terms.tolerance_us == 1'000);  // most services count in ms
  spec.contract = parse_rules("bucket 7 + 20/1m, denied count", "contract");
  spec.tolerance_us = 5;
  PolicyPlay told(spec, Registry(), TargetKind::http, TimeSource::real);
  CHECK(told.log().contract == *spec.contract);
  CHECK(told.log().terms.tolerance_us == 5);
}

TEST_CASE("the scenario may run any script step by step") {
  PolicySpec spec = spec_of("sliding");
  CHECK_FALSE(
      PolicyPlay(spec, Registry(), TargetKind::embedded, TimeSource::real).runs_on_client());
  spec.run = RunChoice::client;
  CHECK(PolicyPlay(spec, Registry(), TargetKind::embedded, TimeSource::real).runs_on_client());
}

TEST_CASE("a block flag and a stamp are added around the script") {
  PolicySpec spec = spec_of("sliding-list");
  const std::string plain =
      PolicyPlay(spec, Registry(), TargetKind::embedded, TimeSource::virtual_time).script().text;
  const std::string stamped =
      PolicyPlay(spec, Registry(), TargetKind::embedded, TimeSource::real).script().text;
  CHECK(contains(stamped, "TIME"));
  spec.policy.block_us = 1'000'000;
  PolicyPlay blocked(spec, Registry(), TargetKind::embedded, TimeSource::virtual_time);
  CHECK(blocked.script().text.size() > plain.size());
  CHECK(rules_text(blocked.log().contract) == "20/1m, block 1s");
}

TEST_CASE("a script that can't be played is an error of the user") {
  CHECK(contains(refused(spec_of("slidng"), TimeSource::real), "there is no algorithm 'slidng'"));
  CHECK(contains(refused(spec_of("watch-incr"), TimeSource::virtual_time), "virtual clock"));
}

TEST_CASE("scripts that use key expiry or ms have a tolerance of 1 ms, others none") {
  const Registry registry;
  for (const auto& [name, script] : registry.scripts()) {
    CAPTURE(name);
    const bool exact =
        script.manifest.clock == ClockSource::redis || script.manifest.takes(ArgumentKind::now_us);
    CHECK(tolerance_us_of(script.manifest) == (exact ? 0 : 1'000));
  }
  CHECK(tolerance_us_of(registry.find("sliding-list").manifest) == 0);
  CHECK(tolerance_us_of(registry.find("textbook-fixed").manifest) == 1'000);
}

TEST_CASE("only a phase with a schedule can be late, and only an own server starts fresh") {
  Scenario scenario;
  scenario.policies = {spec_of("sliding"), spec_of("fixed")};
  scenario.policies[0].allowed_false_denials = 0.25;
  scenario.budgets.late_share = 0.5;
  scenario.budgets.unknown_share = 0.125;
  Phase open;
  Phase closed;
  closed.policy = 1;
  closed.model = TrafficModel::users;
  scenario.phases = {open, closed};
  Log log;
  log.terms.tolerance_us = 3;
  const JudgeOptions scheduled = judge_options_of(scenario, scenario.policies[0], log);
  CHECK(scheduled.tolerance_us == 3);
  CHECK(scheduled.fresh);
  CHECK(scheduled.allowed_false_denials == 0.25);
  CHECK(scheduled.budgets.unknown_share == 0.125);
  CHECK(scheduled.budgets.late_share == 0.5);
  const JudgeOptions unscheduled = judge_options_of(scenario, scenario.policies[1], log);
  CHECK(unscheduled.budgets.late_share == JudgeOptions{}.budgets.late_share);
  scenario.target.kind = TargetKind::http;
  CHECK_FALSE(judge_options_of(scenario, scenario.policies[0], log).fresh);
}
