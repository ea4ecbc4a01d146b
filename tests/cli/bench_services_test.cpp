// rlctl bench --target: services that decide, each a contestant of one table.
#include <doctest/doctest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/support/process.h"
#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "http/nginx.h"
#include "http/peer.h"
#include "tools/folder.h"

namespace {

using Json = nlohmann::json;
using rlctl::test::Folder;
using rlctl::test::Nginx;
using rlctl::test::Peer;
using rlctl::test::PeerConnection;

const Arguments kOneRound{"--rounds", "1", "--for", "50ms", "--quiet"};
const Arguments kClientByHeader{"-H", "X-Forwarded-For: <ip>"};

std::string place_of(const Serving& serving) {
  return "http://127.0.0.1:" + std::to_string(serving.port()) + "/";
}

Arguments all_of(std::initializer_list<Arguments> parts) {
  Arguments all;
  for (const Arguments& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// `serve` with this algorithm on this Redis, its keys apart from those of others.
Serving serve_with(const TestRedis& redis, const std::string& algorithm) {
  return Serving({"--redis", redis.url(), "--algo", algorithm, "--key", algorithm + ":<ip>",
                  "--limit", "20", "--window", "1s", "--trust-proxy", "127.0.0.0/8"});
}

Json bench_services(const Arguments& more, int exit = 0) {
  const Outcome outcome = run_rlctl(
      all_of({{"bench", "--json"}, kOneRound, {"--limit", "20", "--window", "1s"}, more}));
  INFO(outcome.err);
  REQUIRE(outcome.exit == exit);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("bench --target: two services are measured, attacked and judged side by side") {
  TestRedis redis;
  const Serving exact = serve_with(redis, "sliding-list");
  const Serving fixed = serve_with(redis, "fixed");
  const Json result =
      bench_services(all_of({{"--target", place_of(exact), "--target", place_of(fixed), "--check"},
                             kClientByHeader}),
                     1);
  CHECK(result["server"] == "");
  CHECK(result["clock"] == "wall");
  CHECK(result["machine_use"]["other_cpu_percent"].is_null());
  REQUIRE(result["algorithms"].size() == 2);
  for (const Json& entry : result["algorithms"]) {
    INFO(entry.dump());
    CHECK(entry["decisions_per_second"] > 0);
    CHECK(entry["latency_us"]["p50"] > 0);
    CHECK(entry["client_cpu_us_per_decision"] > 0);
    // Nobody tells them.
    for (const char* unknown : {"server_cpu_us_per_decision", "redis_cpu_percent", "bytes_per_key"})
      CHECK(entry[unknown].is_null());
    CHECK(entry["rounds"][0]["server_cpu_us_per_decision"].is_null());
    CHECK(entry["rounds"][0]["allowed"] == entry["rounds"][0]["decisions"]);
    CHECK(entry["denied"]["rounds"][0]["allowed"] < entry["denied"]["rounds"][0]["decisions"]);
    CHECK(entry["attacks"].size() == 3);
  }
  const Json& sound = result["algorithms"][0];
  CHECK(sound["name"] == place_of(exact));
  CHECK(sound["policy_verdict"] == "holds");
  CHECK(sound["accuracy_high"] == 100);
  CHECK(sound["peak"] == 20);
  CHECK(sound["own_contract"].is_null());
  const Json& broken = result["algorithms"][1];
  CHECK(broken["policy_verdict"] == "violated");
  CHECK(broken["attacks"][0]["peak"] > 20);
}

TEST_CASE("bench --target: nginx knows clients by their address, and --source-ip gives each one") {
  const Nginx nginx(
      "limit_req_zone $binary_remote_addr zone=clients:10m rate=1r/s; limit_req_status 429;\n"
      "server { listen 127.0.0.1:PORT; location / { limit_req zone=clients burst=4 nodelay; "
      "root FOLDER; } }");
  const Outcome outcome =
      run_rlctl({"bench", "--target", nginx.url(), "--source-ip", "127.0.0.0/8", "--policy",
                 "bucket 5 + 1/1s", "--only", "accuracy", "--check", "--quiet", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const Json entry = Json::parse(outcome.out)["algorithms"][0];
  CHECK(entry["policy_verdict"] == "holds");
  CHECK(entry["peak"] >= 5);
}

TEST_CASE("bench --target: of one client only denials are measured, and each attack has its turn") {
  TestRedis redis;
  const Serving exact = serve_with(redis, "sliding-list");
  const Json result = bench_services({"--target", place_of(exact), "--check"});
  const Json& entry = result["algorithms"][0];
  INFO(entry.dump());
  CHECK(result["keys"] == 1);
  CHECK(entry["rounds"].empty());
  CHECK(entry["decisions_per_second"].is_null());
  CHECK(entry["denied"]["decisions_per_second"] > 0);
  CHECK(contains(entry["remark"], "are of one client"));
  CHECK(entry["policy_verdict"] == "holds");
  for (const Json& attack : entry["attacks"]) {
    CHECK(attack["allowed"] >= 20);
    CHECK(attack["denied"] > 0);
  }
}

TEST_CASE("bench --target: what is not known is a dash in the table") {
  TestRedis redis;
  const Serving exact = serve_with(redis, "sliding-list");
  const Outcome outcome =
      run_rlctl(all_of({{"bench", "--target", place_of(exact), "--only", "speed", "--threads", "2",
                         "--limit", "20", "--window", "1s"},
                        kOneRound,
                        kClientByHeader}));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "50 users, 2 threads, 2,000 keys, 1 round of 50ms, 1 service\n"));
  CHECK(contains(outcome.out, "client CPU, us each  admitted"));
  for (const char* name : {"\nserver CPU, us each ", "\nbytes per full key "}) {
    const std::size_t line = outcome.out.find(name);
    REQUIRE(line != std::string::npos);
    CHECK(outcome.out[outcome.out.find('\n', line + 1) - 1] == '-');
  }
  CHECK_FALSE(contains(outcome.out, "Redis"));
}

TEST_CASE("bench --target: a service that is not there is named, and the other has all figures") {
  TestRedis redis;
  const Serving exact = serve_with(redis, "sliding-list");
  const Json result = bench_services(
      all_of({{"--target", "http://127.0.0.1:1/", "--target", place_of(exact)}, kClientByHeader}),
      3);
  CHECK(result["complete"] == false);
  CHECK(contains(result["algorithms"][0]["failed"], "connection refused"));
  CHECK(result["algorithms"][0]["attacks"].empty());
  CHECK(result["algorithms"][1]["rounds"].size() == 1);
  CHECK(result["algorithms"][1]["attacks"].size() == 3);
}

TEST_CASE("bench --target: a status that is neither allowed nor denied is named, with its option") {
  std::atomic<int> requests = 0;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request() &&
           connection.write(rlctl::test::response(++requests % 4 == 0 ? 302 : 429))) {
    }
  });
  const Outcome outcome = run_rlctl(all_of({{"bench", "--only", "accuracy", "--quiet", "--target",
                                             peer.url(), "--limit", "5", "--window", "200ms"},
                                            kClientByHeader}));
  INFO(outcome.out << outcome.err);
  CHECK(
      contains(outcome.out, "were answered with status 302, which is neither allowed nor denied"));
  CHECK(contains(outcome.out, "--allowed 2xx,302"));
  CHECK_FALSE(contains(outcome.out, "got no answer"));
}

TEST_CASE("bench --target: two benches of a service are compared") {
  TestRedis redis;
  const Serving exact = serve_with(redis, "sliding-list");
  const Folder folder;
  const Arguments nine =
      all_of({{"bench", "--target", place_of(exact), "--only", "speed", "--for", "30ms", "--rounds",
               "9", "--limit", "20", "--window", "1s", "--json", "--quiet"},
              kClientByHeader});
  folder.write("base.json", run_rlctl(nine).out);
  const Outcome against = run_rlctl(all_of({nine,
                                            {"--baseline", folder / "base.json", "--fail-if",
                                             "p99 > 1us", "--fail-if", "p50 > +100000%"}}));
  INFO(against.err);
  CHECK(against.exit == 1);
  const Json comparison = Json::parse(against.out)["comparison"];
  CHECK(comparison.dump().find("server_cpu") == std::string::npos);
  REQUIRE(comparison["conditions"].size() == 4);  // admitted and denied, of each
}

TEST_CASE("bench --target refuses what is only for a limiter in Redis") {
  for (const Arguments& option :
       {Arguments{"--pipeline", "2"}, Arguments{"--wait", "1"}, Arguments{"--algo", "fixed"},
        Arguments{"--command", "GET <key>"}, Arguments{"--as", "limits"},
        Arguments{"--manifest", "x"}, Arguments{"--run", "client"}, Arguments{"--block", "1s"},
        Arguments{"--redis", "redis://127.0.0.1"}, Arguments{"-p", "1"},
        Arguments{"--embedded", "single"}, Arguments{"--cluster"}}) {
    const Outcome outcome =
        run_rlctl(all_of({{"bench", "--target", "http://127.0.0.1:1/"}, option}));
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == "rlctl: with --target the service decides: " + option.front() +
                             " is only for a limiter in Redis; remove one of them\n");
  }
  const Outcome alone = run_rlctl({"bench", "--source-ip", "127.0.0.0/8"});
  CHECK(alone.exit == 2);
  CHECK(alone.err == "rlctl: --source-ip is only for an HTTP target; add --target URL\n");
}
