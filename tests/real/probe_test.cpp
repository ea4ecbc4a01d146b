// `rlctl probe` examines limiters that others wrote, and must name what their owners configured.
// Nothing is told to it but the URL.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>

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

// On a busy machine an examination may not tell enough. Then it is made once more, and once more.
template <class Tells>
Json probed_until(const Arguments& arguments, Tells tells) {
  Json found = probed(arguments);
  for (int tries = 1; tries < 3 && !tells(found); ++tries) {
    sleep(4);  // so that the limiter has forgotten the examination before
    found = probed(arguments);
  }
  return found;
}

// A stalled machine leaves two kinds, or none.
Json found_by(const Arguments& arguments) {
  return probed_until(arguments, [](const Json& found) { return found["result"] == "found"; });
}

// Stalls lie between the answers of a queue, and then they tell no pace.
Json probed_at_once(const Arguments& arguments) {
  return probed_until(arguments,
                      [](const Json& found) { return found["burst"]["kind"] != "unclear"; });
}

std::string quota_of(const Json& found, const std::string& part) {
  for (const Json& one : found["identity"])
    if (one["part"] == part) return one["quota"];
  return "not asked";
}

std::ptrdiff_t left_of(const Json& found) {
  return std::ranges::count_if(found["hypotheses"],
                               [](const Json& one) { return one["open"] == true; });
}

struct Truth {
  std::string url;
  std::string kind;
  std::string policy;
  Arguments more = {};                             // of the command line
  std::map<std::string, std::string> quotas = {};  // of parts of the request
};

// Of all that agree with the answers, the one of this kind; null: it is refuted, which is wrong.
Json open_of(const Json& found, const std::string& kind) {
  for (const Json& one : found["hypotheses"])
    if (one["kind"] == kind && one["open"] == true) return one;
  return {};
}

// What is found must be the truth. A busy machine stalls both sides, and then two kinds may be
// left, or none fits: then it is examined once more. How many examinations do not come to one kind
// at all is counted over all targets, because only so many may.
class Examinations {
 public:
  std::vector<Json> of(const std::vector<Truth>& truths) {
    return side_by_side(truths, [&](const Truth& truth) { return found(truth); });
  }
  int ambiguous() const { return ambiguous_; }

 private:
  Json found(const Truth& truth) {
    Json found;
    for (int tries = 0; tries < 2; ++tries) {
      if (tries > 0) sleep(5);  // so that the limiter has forgotten the examination before
      Arguments arguments{"--target", truth.url, "--for", "1m"};
      arguments.insert(arguments.end(), truth.more.begin(), truth.more.end());
      const auto began = std::chrono::steady_clock::now();
      found = probed(arguments);
      const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
      MESSAGE(truth.kind << " " << truth.policy << ": " << std::string(found["result"]) << ", "
                         << found["requests"] << " requests, " << std::lround(lasted.count())
                         << " s");
      if (found["result"] == "found") break;
    }
    INFO(found.dump(1));
    check(truth, found);
    return found;
  }

  void check(const Truth& truth, const Json& found) {
    const Json one = open_of(found, truth.kind);
    if (found["result"] != "found") ++ambiguous_;
    const bool is_unexplained = left_of(found) == 0;
    if (is_unexplained) return;
    REQUIRE(!one.is_null());
    CHECK(one["policy"] == truth.policy);
    CHECK(left_of(found) <= 2);
    for (const auto& [part, quota] : truth.quotas) {
      CAPTURE(part);
      CHECK(quota_of(found, part) == quota);
    }
  }

  std::atomic<int> ambiguous_ = 0;
};

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
  const std::vector<Json> found = side_by_side(cases, probed_at_once);
  CHECK(found[0]["result"] == "delayed");
  REQUIRE(found[0]["burst"]["kind"] == "queue");
  CHECK(found[0]["burst"]["policy"] == "bucket 7 + 10/1s");
  CHECK(found[1]["burst"]["policy"] == "bucket 7 + 10/1s");
  CHECK(found[2]["result"] == "no_limit");
  CHECK(found[2]["sent"]["to examine"] == 200);
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

namespace {

const std::map<std::string, std::string> kByAddress{{"another source address", "fresh"},
                                                    {"a new connection", "same"},
                                                    {"X-Forwarded-For", "same"},
                                                    {"X-Forwarded-For, 4 addresses", "same"},
                                                    {"User-Agent", "same"}};

std::vector<Json> examine_nginx(Examinations& examinations) {
  const std::string zone =
      "limit_req_status 429; limit_req_zone $binary_remote_addr zone=a:1m rate=5r/s;\n"
      "limit_req_zone $binary_remote_addr$http_x_forwarded_for zone=b:1m rate=5r/s;\n"
      "server { listen 127.0.0.1:PORT; root FOLDER;\n";
  const Nginx burst(zone + "location / { limit_req zone=a burst=10 nodelay; } }");
  const Nginx none(zone + "location / { limit_req zone=a; } }");
  const Nginx spoofed(zone + "location / { limit_req zone=b burst=5 nodelay; } }");
  const Haproxy haproxy(
      "  stick-table type ip size 1k expire 30s store http_req_rate(2s)\n"
      "  http-request track-sc0 src\n"
      "  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 10 }\n"
      "  http-request return status 200\n");
  return examinations.of({{burst.url(), kBucket, "bucket 11 + 5/1s", {}, kByAddress},
                          {none.url(), kSliding, "1/200ms", {}, kByAddress},  // as a bucket of 1
                          {spoofed.url(),
                           kBucket,
                           "bucket 6 + 5/1s",
                           {},
                           {{"X-Forwarded-For", "fresh"}, {"User-Agent", "same"}}},
                          // http_req_rate counts denied requests too, in two halves of a period.
                          {haproxy.url(),
                           "approximate counter from the first hit, denied count",
                           "10/2s, denied count",
                           {},
                           kByAddress}});
}

// Its clients are told apart by X-Client, of which probe knows only what the user's request has.
std::vector<Json> examine_npm(Examinations& examinations) {
  TestRedis redis;
  const std::string packages[] = {"express-rate-limit", "express-rate-limit-redis",
                                  "rate-limiter-flexible", "rate-limiter-flexible-redis"};
  REQUIRE(std::size(packages) == 4);
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  std::deque<NodeLimiter> limiters;
  std::vector<Truth> truths;
  for (const std::string& package : packages)
    truths.push_back({limiters.emplace_back(package, 10, 1'000, socket).url(),
                      kFirstHit,
                      "10/1s first-hit",
                      {"-H", "X-Client: ann", "-H", "Cookie: theme=dark"},
                      {{"X-Client", "fresh"},
                       {"the cookie theme", "same"},
                       {"another source address", "same"}}});
  return examinations.of(truths);
}

const std::string kSecondFromRight = "X-Forwarded-For, its 3rd address (2nd from the right)";
const std::string kFirst = "X-Forwarded-For, its first address (4th from the right)";
const std::string kOfSame = "X-Forwarded-For, an IPv6 address of the same /";

// express-rate-limit counts the addresses of an IPv6 /56 as one client (its ipv6Subnet).
std::vector<Json> examine_proxied(Examinations& examinations) {
  const NodeLimiter one("behind-a-proxy", 5, 1'000);
  const NodeLimiter two("behind-two-proxies", 5, 1'000);
  return examinations.of({{one.url(),
                           kFirstHit,
                           "5/1s first-hit",
                           {},
                           {{"X-Forwarded-For", "fresh"},
                            {kFirst, "fresh"},
                            {kSecondFromRight, "same"},
                            {"X-Forwarded-For, its last address", "same"},
                            {kOfSame + "128, written otherwise", "same"},
                            {kOfSame + "64", "same"},
                            {kOfSame + "56", "same"},
                            {kOfSame + "48", "fresh"},
                            {kOfSame + "32", "fresh"}}},
                          {two.url(),
                           kFirstHit,
                           "5/1s first-hit",
                           {},
                           {{kFirst, "same"},
                            {kSecondFromRight, "fresh"},
                            {"X-Forwarded-For, its last address", "same"}}}});
}

std::vector<Json> examine_served(Examinations& examinations) {
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
    truths.push_back(
        {served.emplace_back(algorithm).url(), kind.first, kind.second, {}, kByAddress});
  return examinations.of(truths);
}

}  // namespace

TEST_CASE("probe names every limiter, its limit, its time and its clients") {
  Examinations examinations;
  examine_served(examinations);
  examine_nginx(examinations);
  if (has_node_packages()) {
    examine_npm(examinations);
    examine_proxied(examinations);
  }
  MESSAGE("ambiguous: " << examinations.ambiguous());
  CHECK(examinations.ambiguous() <= 2);
}

TEST_CASE("probe says that a limit in a header is untrue, and obeys Retry-After") {
  if (!has_node_packages()) return;
  const NodeLimiter liar("false-header", 5, 1'000);
  const Json found = found_by({"--target", liar.url(), "--for", "45s"});
  INFO(found.dump(1));
  CHECK(found["headers"]["retry_after_obeyed"] >= 1);
  const auto is_told = [](const Json& one) {
    return one["kind"] == "untrue" &&
           one["words"] ==
               "the field of the limit says 100, but 5 per 1s was found: the limit differs";
  };
  CHECK(std::ranges::any_of(found["headers"]["findings"], is_told));
}

TEST_CASE("the window before a penalty is told as not known") {
  const Serving serving(
      {"--embedded", "single", "--limit", "4", "--window", "300ms", "--block", "900ms"});
  const std::string url = "http://127.0.0.1:" + std::to_string(serving.port()) + "/";
  const Json found = found_by({"--target", url, "--for", "45s"});
  INFO(found.dump(1));
  const Json one = open_of(found, "penalty");
  REQUIRE(!one.is_null());
  CHECK_FALSE(one.contains("policy"));
  CHECK_FALSE(one.contains("window_us"));
  CHECK(one["penalty_us"][0] <= 918'000);
  CHECK(one["penalty_us"][1] >= 882'000);
  CHECK(one["window_at_most_us"] >= 300'000);
  for (const Json& header : found["headers"]["findings"]) CHECK(header["kind"] != "untrue");
}

TEST_CASE("probe examines a command, and a rate limit service with descriptors that it varies") {
  TestRedis redis;
  const Json command = found_by({"--redis", redis.url(), "--command", "SET <key> 1 NX PX 500",
                                 "--allowed", R"(reply == "OK")", "--for", "45s"});
  INFO(command.dump(1));
  CHECK(open_of(command, kSliding)["policy"] == "1/500ms");
  CHECK(redis.number({"DBSIZE"}) == 0);
  const Server service(
      {"/usr/bin/python3", RLCTL_SOURCE_DIR "/tests/real/rls_server.py", "sound", "4", "1000"}, 0);
  const std::string place = service.url().substr(service.url().find("://"));
  const Json found = found_by({"--target", "rls" + place.substr(0, place.size() - 1), "--domain",
                               "api", "--descriptor", "user=ann", "--for", "45s"});
  INFO(found.dump(1));
  const Json one = open_of(found, "fixed window");
  REQUIRE(!one.is_null());
  CHECK(one["policy"] == "4/1s fixed");
  CHECK(one["edge_us"].size() == 2);
  CHECK(quota_of(found, "the descriptor's entry user") == "fresh");
}

TEST_CASE("all requests of an examination are counted, and its budget bounds them") {
  const Serving serving({"--embedded", "single", "--limit", "4", "--window", "500ms"});
  const std::string url = "http://127.0.0.1:" + std::to_string(serving.port()) + "/";
  const Folder folder;
  const std::string log = folder / "probe.jsonl";
  const Json found = probed({"--target", url, "--budget", "200", "--for", "45s", "--log", log});
  INFO(found.dump(1));
  CHECK(found["requests"] <= 200);
  std::int64_t sum = 0;
  for (const auto& [what, requests] : found["sent"].items()) sum += requests.get<std::int64_t>();
  CHECK(sum == found["requests"]);
  const Outcome verified = run_rlctl({"verify", log, "--limit", "4", "--window", "500ms"});
  INFO(verified.out << verified.err);
  CHECK(verified.exit == 0);
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

// What it plays must separate the kinds that were left out.
TEST_CASE("a pinned sliding window is violated by the other kinds of the same limit") {
  const Folder folder;
  const std::string file = folder / "pinned.json";
  const Serving sliding({"--embedded", "single", "--limit", "4", "--window", "500ms"});
  const Outcome probing = run_rlctl({"probe", "--quiet", "--scenario", file,
                                     "http://127.0.0.1:" + std::to_string(sliding.port()) + "/"});
  INFO(probing.out);
  REQUIRE(probing.exit == 0);
  Json pinned = Json::parse(folder.read("pinned.json"));
  const auto played_against = [&](const char* algorithm) {
    const Serving other(
        {"--embedded", "single", "--algo", algorithm, "--limit", "4", "--window", "500ms"});
    pinned["target"]["url"] = "http://127.0.0.1:" + std::to_string(other.port()) + "/";
    const std::string changed = folder.write(std::string(algorithm) + ".json", pinned.dump());
    return run_rlctl({"run", changed}).exit;
  };
  CHECK(played_against("sliding") == 0);
  for (const char* other : {"fixed", "fixed-anchored", "token-bucket"}) {
    CAPTURE(other);
    CHECK(played_against(other) == 1);
  }
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
