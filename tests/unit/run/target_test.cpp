#include "run/target.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

Scenario of_one_phase(TargetKind kind) {
  Scenario scenario;
  scenario.target.kind = kind;
  scenario.policies.resize(1);
  scenario.phases.resize(1);
  return scenario;
}

}  // namespace

TEST_CASE("an open-loop phase may open more connections than its scenario counts") {
  Scenario scenario = of_one_phase(TargetKind::http);
  scenario.policies[0].targets = {"http://a", "http://b"};
  CHECK(most_connections(scenario, 2).needed == 0);
  CHECK(most_connections(scenario, 2).possible == 4'000);
  scenario.phases[0].connections = 7;
  CHECK(most_connections(scenario, 2).needed == 14);
  CHECK(most_connections(scenario, 2).possible == 14);
}

TEST_CASE("users of HTTP/2 share connections, unless clients have addresses of their own") {
  Scenario scenario = of_one_phase(TargetKind::http);
  scenario.phases[0].users = 100'001;
  CHECK(most_connections(scenario).needed == 100'001);
  scenario.target.http2 = true;
  CHECK(most_connections(scenario).needed == 2'001);
  CHECK(most_connections(scenario).possible == 100'001);  // the server may allow fewer at once
  scenario.target.source_ip = "127.0.0.2";
  CHECK(most_connections(scenario).needed == 2'001);
  scenario.target.source_ip = "127.0.0.0/8";
  CHECK(most_connections(scenario).needed == 100'001);
}

TEST_CASE("users of a rate limit service share connections, and so do those of a policy's route") {
  Scenario scenario = of_one_phase(TargetKind::http);
  scenario.phases[0].users = 100;
  scenario.policies[0].targets = {"rls://a", "rls://b"};
  CHECK(most_connections(scenario).needed == 4);
  scenario.policies[0].targets.clear();
  scenario.policies[0].route.emplace().http2 = true;
  CHECK(most_connections(scenario).needed == 2);
}

TEST_CASE("users of a script that Redis runs share connections") {
  for (const TargetKind kind : {TargetKind::embedded, TargetKind::redis}) {
    Scenario scenario = of_one_phase(kind);
    scenario.phases[0].users = 100'000;
    CHECK(most_connections(scenario).needed == 50);
    scenario.policies[0].run = RunChoice::client;
    CHECK(most_connections(scenario).needed == 100'000);
    scenario.policies[0].run = RunChoice::server;
    scenario.policies[0].wait.replicas = 1;
    CHECK(most_connections(scenario).needed == 100'000);
  }
}

TEST_CASE("a server of ours needs as many files for its ends") {
  Scenario scenario = of_one_phase(TargetKind::serve);
  scenario.phases[0].users = 3'000;
  CHECK(most_connections(scenario).needed == 6'000);
}
