// `rlctl probe` examines limiters that others wrote, and must name what their owners configured.
// Nothing is told to it but the URL.
#include <doctest/doctest.h>
#include <unistd.h>

#include <deque>

#include "cli/support/process.h"
#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "http/nginx.h"
#include "real/judged.h"
#include "real/server.h"
#include "tools/folder.h"
#include "tools/side_by_side.h"

using namespace rlctl::test;

namespace {

Json probed(const Arguments& arguments) {
  Arguments all{"probe", "--json", "--quiet"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_rlctl(all);
  INFO(outcome.err);
  REQUIRE((outcome.exit == 0 || outcome.exit == 4));
  return Json::parse(outcome.out);
}

std::string quota_of(const Json& found, const std::string& part) {
  for (const Json& one : found["identity"])
    if (one["part"] == part) return one["quota"];
  return "not asked";
}

// The kind of all that agree with the answers: it must be among them, whatever else the machine's
// stalls leave open.
Json open_of(const Json& found, const std::string& kind) {
  for (const Json& one : found["hypotheses"])
    if (one["kind"] == kind && !one.contains("refuted_by")) return one;
  return {};
}

std::ptrdiff_t left_of(const Json& found) {
  return std::ranges::count_if(found["hypotheses"],
                               [](const Json& one) { return one["open"] == true; });
}

struct Truth {
  std::string url;
  std::string kind;
  std::string policy;
};

// A busy machine stalls both sides, and then several kinds may be left, or none. What is found must
// be the truth, and in one of three examinations it must at least be one of two that are left.
Json found_at_last(const Truth& truth) {
  Json last;
  for (int tries = 0; tries < 3; ++tries) {
    if (tries > 0) sleep(5);  // so that the limiter has forgotten the examination before
    // As long as three of them are within the time of a test.
    const Json found = probed({"--target", truth.url, "--for", "1m"});
    MESSAGE(truth.policy << ": " << found["result"] << " after " << found["requests"]);
    const Json one = open_of(found, truth.kind);
    INFO(found.dump(1));
    if (found["result"] == "found") {
      REQUIRE(!one.is_null());
      CHECK(one["policy"] == truth.policy);
      return found;
    }
    if (!one.is_null() && left_of(found) <= 2) last = found;
    if (tries == 2) REQUIRE(!last.is_null());
  }
  return last;
}

constexpr const char* kBucket = "bucket";
constexpr const char* kSliding = "sliding window";
constexpr const char* kFirstHit = "first-hit window";

// Each algorithm has its own type of key, so each has a Redis.
struct Served {
  explicit Served(const std::string& algorithm)
      : serving({"--redis", redis.url(), "--algo", algorithm, "--limit", "10", "--window", "1s"}) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(serving.port()) + "/"; }

  TestRedis redis;
  Serving serving;
};

}  // namespace

TEST_CASE("probe names the limits of nginx, and who is a client") {
  const std::string zone =
      "limit_req_status 429; limit_req_zone $binary_remote_addr zone=a:1m rate=5r/s;\n"
      "limit_req_zone $binary_remote_addr$http_x_forwarded_for zone=b:1m rate=5r/s;\n"
      "server { listen 127.0.0.1:PORT; root FOLDER;\n";
  const Nginx burst(zone + "location / { limit_req zone=a burst=10 nodelay; } }");
  const Nginx none(zone + "location / { limit_req zone=a; } }");
  const Nginx spoofed(zone + "location / { limit_req zone=b burst=5 nodelay; } }");
  const std::vector<Truth> truths{{burst.url(), kBucket, "bucket 11 + 5/1s"},
                                  {none.url(), kSliding, "1/200ms"},  // as a bucket of 1
                                  {spoofed.url(), kBucket, "bucket 6 + 5/1s"}};
  const std::vector<Json> found = side_by_side(truths, found_at_last);
  CHECK(quota_of(found[0], "another source address") == "fresh");
  CHECK(quota_of(found[0], "a new connection") == "same");
  CHECK(quota_of(found[0], "X-Forwarded-For") == "same");
  CHECK(quota_of(found[2], "X-Forwarded-For") == "fresh");
  CHECK(quota_of(found[2], "User-Agent") == "same");
}

TEST_CASE("probe finds a queue, and no limit") {
  const Nginx nginx(
      "limit_req_status 429;\n"
      "limit_req_zone $binary_remote_addr zone=a:1m rate=10r/s;\n"
      "limit_req_zone $binary_remote_addr zone=b:1m rate=10r/s;\n"
      "server { listen 127.0.0.1:PORT; root FOLDER;\n"
      "location = /free.html { try_files /index.html =404; }\n"
      "location /delay/ { alias FOLDER/; limit_req zone=b burst=6 delay=3; }\n"
      "location / { limit_req zone=a burst=6; } }");
  const Serving serving(
      {"--embedded", "single", "--algo", "leaky-queue", "--limit", "10", "--window", "2s"});
  const std::vector<Arguments> cases{{nginx.url()},
                                     {nginx.url() + "delay/"},
                                     {nginx.url() + "free.html", "--up-to", "200"},
                                     {"http://127.0.0.1:" + std::to_string(serving.port()) + "/"}};
  const std::vector<Json> found = side_by_side(cases, probed);
  CHECK(found[0]["result"] == "delayed");
  CHECK(found[0]["burst"]["kind"] == "queue");
  CHECK(found[0]["burst"]["policy"] == "bucket 7 + 10/1s");
  CHECK(found[1]["burst"]["policy"] == "bucket 7 + 10/1s");
  CHECK(found[2]["result"] == "no_limit");
  CHECK(found[2]["requests"] == 200);
  CHECK(found[2]["burst"]["kind"] == "none");
  CHECK(found[3]["result"] == "delayed");
  CHECK(found[3]["burst"]["policy"] == "bucket 10 + 5/1s");
  const Outcome paced =
      run_rlctl({"probe", nginx.url() + "free.html", "--rate", "100/1s", "--up-to", "20"});
  CHECK(contains(paced.err, "--rate: nothing was sent at once"));
  CHECK_FALSE(contains(paced.out, "at once"));
  for (const std::size_t queue : {0u, 1u, 3u}) {
    CHECK(quota_of(found[queue], "another source address") == "fresh");
    CHECK(quota_of(found[queue], "X-Forwarded-For") == "same");
  }
}

TEST_CASE("probe finds a limit in flight") {
  if (!has_node_packages()) return;
  const NodeLimiter semaphore("semaphore", 5, 200);
  const NodeLimiter slow("semaphore", 1'000, 200);
  const Nginx gate(
      "limit_conn_status 429; limit_conn_zone $binary_remote_addr zone=c:1m;\n"
      "server { listen 127.0.0.1:PORT;\n"
      "location / { limit_conn c 6; proxy_pass " +
      slow.url() + "; } }");
  const std::vector<Arguments> cases{{semaphore.url(), "--up-to", "12"},
                                     {gate.url(), "--up-to", "12"}};
  const std::vector<Json> found = side_by_side(cases, probed);
  CHECK(found[0]["burst"]["kind"] == "in_flight");
  CHECK(found[0]["burst"]["policy"] == "5 in flight");
  CHECK(found[1]["burst"]["policy"] == "6 in flight");
  CHECK(quota_of(found[0], "another source address") == "same");  // it counts all clients as one
  CHECK(quota_of(found[1], "another source address") == "fresh");
  CHECK(quota_of(found[1], "X-Forwarded-For") == "same");
}

TEST_CASE("probe names the limits of npm packages") {
  if (!has_node_packages()) return;
  TestRedis redis;
  const std::string packages[] = {"express-rate-limit", "express-rate-limit-redis",
                                  "rate-limiter-flexible", "rate-limiter-flexible-redis"};
  REQUIRE(std::size(packages) == 4);
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  std::deque<NodeLimiter> limiters;
  std::vector<Truth> truths;
  for (const std::string& package : packages)
    truths.push_back(
        {limiters.emplace_back(package, 10, 1'000, socket).url(), kFirstHit, "10/1s first-hit"});
  side_by_side(truths, found_at_last);
}

// 5 per 500 ms, and 15 per 3 s: two windows of express-rate-limit, one behind the other.
TEST_CASE("probe finds two rules at once") {
  if (!has_node_packages()) return;
  const NodeLimiter limiter("two-limits", 5, 500);
  const Json found = probed({"--target", limiter.url(), "--for", "4m"});
  INFO(found.dump(1));
  const auto is_truth = [](const Json& one) {
    return one.contains("beside") && one["open"] == true &&
           one["policy"] == "5/500ms first-hit & 15/3s first-hit";
  };
  CHECK(std::ranges::any_of(found["hypotheses"], is_truth));
  CHECK(left_of(found) <= 2);
}

// express-rate-limit counts the addresses of an IPv6 /56 as one client (its ipv6Subnet).
TEST_CASE("probe says which prefix of an IPv6 address is a client") {
  if (!has_node_packages()) return;
  const NodeLimiter limiter("behind-a-proxy", 5, 1'000);
  const Json found = found_at_last({limiter.url(), kFirstHit, "5/1s first-hit"});
  CHECK(quota_of(found, "X-Forwarded-For") == "fresh");
  CHECK(quota_of(found, "X-Forwarded-For, its first address") == "fresh");
  CHECK(quota_of(found, "X-Forwarded-For, its last address") == "same");
  CHECK(quota_of(found, "X-Forwarded-For, an IPv6 address of the same /64") == "same");
  CHECK(quota_of(found, "X-Forwarded-For, an IPv6 address of the same /56") == "same");
  CHECK(quota_of(found, "X-Forwarded-For, an IPv6 address of the same /48") == "fresh");
}

TEST_CASE("probe names every algorithm of rlctl behind serve") {
  const std::string bucket = "bucket 10 + 10/1s";
  const std::map<std::string, std::pair<std::string, std::string>> kinds{
      {"sliding", {kSliding, "10/1s"}},
      {"sliding-list", {kSliding, "10/1s"}},
      {"token-budget", {kSliding, "10/1s"}},
      {"lease", {kSliding, "10/1s"}},  // serve holds a lease for its whole time, which is a window
      {"fixed", {"fixed window", "10/1s fixed"}},
      {"fixed-anchored", {kFirstHit, "10/1s first-hit"}},
      {"sliding-counter", {"approximate counter", "10/1s"}},
      {"token-bucket", {kBucket, bucket}},
      {"leaky-bucket", {kBucket, bucket}},
      {"gcra", {kBucket, bucket}}};
  REQUIRE(kinds.size() == 10);
  std::deque<Served> served;
  std::vector<Truth> truths;
  for (const auto& [algorithm, kind] : kinds)
    truths.push_back({served.emplace_back(algorithm).url(), kind.first, kind.second});
  side_by_side(truths, found_at_last);
}

TEST_CASE("what probe pins holds in CI, and has no secret") {
  const Serving serving({"--embedded", "single", "--limit", "4", "--window", "300ms"});
  const Folder folder;
  const std::string file = folder / "pinned.json";
  const Outcome probing =
      run_rlctl({"probe", "http://127.0.0.1:" + std::to_string(serving.port()) + "/", "--quiet",
                 "-H", "Authorization: Bearer s3cret", "--scenario", file});
  INFO(probing.out);
  REQUIRE(probing.exit == 0);
  CHECK(contains(probing.err, "set the environment variables AUTHORIZATION to"));
  const Outcome without = run_rlctl({"run", file});
  CHECK(without.exit == 2);
  CHECK(contains(without.err, "AUTHORIZATION is not set"));
  const Outcome playing = run_rlctl({"run", file}, {}, {"AUTHORIZATION=Bearer s3cret"});
  INFO(playing.out << playing.err);
  CHECK(playing.exit == 0);
  CHECK_FALSE(contains(playing.out + playing.err, "s3cret"));
}

TEST_CASE("probe says whose clock a script follows") {
  TestRedis redis;
  const Folder folder;
  const std::string file =
      folder.write("windows.lua",
                   "-- Counts by the number of the window that the client names.\n"
                   "-- rlctl: keys     = <key>:<window_number>\n"
                   "-- rlctl: args     = limit, window_ms\n"
                   "-- rlctl: reply    = allowed\n"
                   "-- rlctl: contract = limit/window fixed\n"
                   "-- rlctl: run      = server\n"
                   "-- rlctl: clock    = argument\n"
                   "local used = redis.call('INCR', KEYS[1])\n"
                   "redis.call('PEXPIRE', KEYS[1], 2 * ARGV[2])\n"
                   "return {used <= ARGV[1] + 0 and 1 or 0}\n");
  const Arguments one_per_second{"--redis", redis.url(), "--limit", "4", "--window", "1s"};
  const auto probed_script = [&](const std::string& algorithm) {
    Arguments arguments = one_per_second;
    arguments.insert(arguments.end(), {"--algo", algorithm});
    return probed(arguments);
  };
  const std::vector<Json> found =
      side_by_side(std::vector<std::string>{file, "sliding"}, probed_script);
  CHECK(found[0]["clock"] == "client");
  CHECK(found[1]["clock"] == "limiter");
  CHECK(redis.number({"DBSIZE"}) == 0);
}

// http_req_rate counts denied requests too (HAProxy's manual), in two halves of a period.
TEST_CASE("probe sees that HAProxy counts denied requests") {
  const Haproxy haproxy(
      "  stick-table type ip size 1k expire 30s store http_req_rate(2s)\n"
      "  http-request track-sc0 src\n"
      "  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 10 }\n"
      "  http-request return status 200\n");
  found_at_last({haproxy.url(), "approximate counter from the first hit, denied count",
                 "10/2s, denied count"});
}
