// Access logs of a real nginx with limit_req are judged: a bucket of burst + 1 that refills at the
// zone's rate (ngx_http_limit_req_module).
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "cli/support/test_nginx.h"

using nlohmann::json;

namespace {

Outcome verify(const std::string& log, const std::string& format, const std::string& rules,
               const Arguments& more = {}) {
  Arguments arguments{"verify", log, "--format", format, "--policy", rules};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments);
}

json document(const Outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(!outcome.out.empty());
  return json::parse(outcome.out);
}

std::ptrdiff_t count(const std::vector<int>& statuses, int status) {
  return std::count(statuses.begin(), statuses.end(), status);
}

const Arguments kJson{"--json"};

// burst=5 is a bucket of 6: the one request at the rate, and 5 above it.
std::string bucket(int capacity, const std::string& rate = "60/1m") {
  return "bucket " + std::to_string(capacity) + " + " + rate;
}

}  // namespace

TEST_CASE("a real nginx with limit_req and nodelay holds, in each log format") {
  TestNginx nginx("60r/m", "burst=5 nodelay");
  for (const int client : {2, 3, 4}) {
    const std::vector<int> statuses = nginx.get(client, 2, 10);
    CHECK(count(statuses, 200) >= 6);
    CHECK(count(statuses, 200) + count(statuses, 429) == 20);
  }
  usleep(1'100'000);  // one token each
  for (const int client : {2, 3, 4}) nginx.get(client, 1, 3);
  const std::pair<std::string, const char*> logs[] = {
      {nginx.timed_log(), TestNginx::kTimedFormat},
      {nginx.combined_log(), "nginx"},
      {nginx.appended_log(), TestNginx::kAppendedFormat}};
  for (const auto& [log, format] : logs) {
    CAPTURE(log);
    const Outcome outcome = verify(log, format, bucket(6), kJson);
    CHECK(outcome.exit == 0);
    const json verdict = document(outcome);
    CHECK(verdict["verdict"] == "holds");
    CHECK(verdict["policy"]["rules"][0]["capacity"] == 6);
    CHECK(verdict["policy"]["verdict"] == "holds");
    CHECK(verdict["own_contract"].is_null());
    CHECK(verdict["totals"]["operations"] == 69);
    CHECK(verdict["totals"]["certain_false_denials"] == 0);
    CHECK(verdict["keys"].size() == 3);
  }
}

TEST_CASE("a bucket smaller or larger than nginx's is refuted by its log") {
  TestNginx nginx("60r/m", "burst=5 nodelay");
  nginx.get(2, 1, 20);
  for (int probe = 0; probe < 5; ++probe) {
    usleep(50'000);
    nginx.get(2, 1, 1);
  }
  const std::string log = nginx.timed_log();
  const Outcome smaller = verify(log, TestNginx::kTimedFormat, bucket(5), kJson);
  CHECK(smaller.exit == 1);
  CHECK(document(smaller)["violations"] == json::array({"over_admission"}));
  CHECK(document(smaller)["totals"]["proof"] == "containment");
  const Outcome larger = verify(log, TestNginx::kTimedFormat, bucket(7), {"--json", "--fresh"});
  CHECK(larger.exit == 1);
  CHECK(document(larger)["violations"] == json::array({"false_denial"}));
}

TEST_CASE("stamps in whole seconds still prove a burst, and not more than that") {
  TestNginx nginx("60r/m", "burst=9 nodelay");
  CHECK(count(nginx.get(2, 1, 30), 200) >= 10);
  const std::string log = nginx.combined_log();
  // Ten are within at most two seconds of stamps, in which a bucket of 9 may well refill one.
  const Arguments fast{"--json", "--longest", "100ms"};
  CHECK(verify(log, "nginx", bucket(4), fast).exit == 1);
  CHECK(verify(log, "nginx", bucket(4), kJson).exit == 4);  // slow requests may explain it
  CHECK(verify(log, "nginx", bucket(9), kJson).exit == 0);
  const Outcome sharp = verify(nginx.timed_log(), TestNginx::kTimedFormat, bucket(9), kJson);
  CHECK(sharp.exit == 1);
}

TEST_CASE("requests that nginx delays are judged at the decision, not at the answer") {
  TestNginx nginx("2r/s", "burst=2");  // a refill lasts longer than a stall of a busy machine
  for (int round = 0; round < 3; ++round) nginx.get(2, 20, 1);
  const auto judged = [&](const std::string& log, const char* format) {
    return verify(log, format, bucket(3, "2/1s"), kJson);
  };
  const Outcome timed = judged(nginx.timed_log(), TestNginx::kTimedFormat);
  CHECK(timed.exit == 0);
  CHECK(document(timed)["verdict"] == "holds");
  // A bucket that fills in 1.5 s says nothing in stamps of whole seconds.
  CHECK(judged(nginx.appended_log(), TestNginx::kAppendedFormat).exit == 4);
  // Without the request times the log places the decisions at the time of the answer.
  const Outcome blind =
      verify(nginx.combined_log(), "nginx", bucket(3, "2/1s"), {"--json", "--longest", "5s"});
  CHECK(blind.exit == 4);
  CHECK(contains(document(blind)["reason"].get<std::string>(), "too coarse"));
}
