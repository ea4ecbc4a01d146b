// Limiters of npm packages, judged by the policy that their owner would write.
#include <doctest/doctest.h>

#include <deque>

#include "cli/support/test_redis.h"
#include "real/judged.h"
#include "real/server.h"
#include "tools/side_by_side.h"

using namespace rlctl::test;

namespace {

std::string socket_of(const TestRedis& redis) { return redis.url().substr(sizeof "unix://" - 1); }

// Each counts in windows that a client's first request opens. express-rate-limit says windowMs is
// "how long to remember requests for"; rate-limiter-flexible: "fixed window"; both stores expire a
// count that long after its first hit.
const std::string kPackages[] = {"express-rate-limit", "express-rate-limit-redis",
                                 "rate-limiter-flexible", "rate-limiter-flexible-redis"};

}  // namespace

TEST_CASE("npm limiters keep their limit in each window from a first request") {
  if (!has_node_packages()) return;
  TestRedis redis;
  for (const std::string& package : kPackages) {
    CAPTURE(package);
    const NodeLimiter limiter(package, 10, 1'000, socket_of(redis));
    const Json policy = judged("10/1s first-hit", {limiter.url()}, flood("2500ms"));
    CHECK(policy["verdict"] == "holds");
    CHECK(policy["totals"]["allowed"] >= 20);
  }
}

TEST_CASE("around the end of such a window they admit nearly twice the limit") {
  if (!has_node_packages()) return;
  TestRedis redis;
  std::deque<NodeLimiter> limiters;
  for (const std::string& package : kPackages)
    limiters.emplace_back(package, 10, 4'000, socket_of(redis));
  std::vector<std::string> urls;
  for (const NodeLimiter& limiter : limiters) urls.push_back(limiter.url());
  const std::vector<Json> policies = side_by_side(urls, [](const std::string& url) {
    return judged("10/4s", {url}, bursts({{"0s", 1}, {"3s", 15}, {"4600ms", 15}}));
  });
  REQUIRE(policies.size() == 4);
  for (const Json& policy : policies) {
    CHECK(policy["verdict"] == "violated");
    CHECK(policy["totals"]["overshoot"] > 1.5);
  }
}

// Every request counts in express-rate-limit, also one that the other limit denies (option
// skipFailedRequests).
TEST_CASE("two limits in one express app hold together, one of them alone is violated") {
  if (!has_node_packages()) return;
  // Of a dense flood sometimes no order of all decisions is found: then nothing is claimed.
  bool holds = false;
  for (int play = 0; play < 3 && !holds; ++play) {
    const NodeLimiter both("two-limits", 10, 500);
    const Json policy =
        judged("10/500ms first-hit, denied count & 30/3s first-hit", {both.url()}, flood("4s"));
    CHECK(policy["verdict"] != "violated");
    CHECK(policy["totals"]["allowed"] > 30);
    holds = policy["verdict"] == "holds";
  }
  CHECK(holds);
  const NodeLimiter again("two-limits", 10, 500);
  const Json one = judged("10/500ms first-hit", {again.url()}, flood("4s"));
  CHECK(one["verdict"] == "violated");
}

TEST_CASE(
    "two express processes without a common store admit twice the limit, with one store once") {
  if (!has_node_packages()) return;
  const NodeLimiter a("express-rate-limit", 20, 20'000);
  const NodeLimiter b("express-rate-limit", 20, 20'000);
  const Json apart = judged("20/20s first-hit", {a.url(), b.url()}, flood("1s"));
  CHECK(apart["verdict"] == "violated");
  CHECK(apart["totals"]["overshoot"] == doctest::Approx(2.0).epsilon(0.05));
  TestRedis redis;
  const NodeLimiter c("express-rate-limit-redis", 20, 20'000, socket_of(redis));
  const NodeLimiter d("express-rate-limit-redis", 20, 20'000, socket_of(redis));
  const Json together = judged("20/20s first-hit", {c.url(), d.url()}, flood("1s"));
  CHECK(together["verdict"] == "holds");
  CHECK(together["totals"]["overshoot"] == 1.0);
}

TEST_CASE("a semaphore in an express app holds its slots, and not one fewer") {
  if (!has_node_packages()) return;
  const NodeLimiter semaphore("semaphore", 5, 200);
  CHECK(judged("5 in flight", {semaphore.url()}, flood("2s"), "190ms")["verdict"] == "holds");
  const Json four = judged("4 in flight", {semaphore.url()}, flood("2s"), "190ms");
  CHECK(four["verdict"] == "violated");
  CHECK(four["totals"]["max_certain"] == 5);
}
