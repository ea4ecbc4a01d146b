// rlctl serve while its Redis is down, hangs, comes back, or refuses.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "redis/test_cluster.h"

using nlohmann::json;
using rlctl::test::TestCluster;

namespace {

Arguments two_per_hour(const StoppableRedis& redis, const Arguments& more = {}) {
  Arguments arguments{"--redis", redis.url(), "--limit", "2", "--window", "1h"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("closed: without Redis no request passes, and with it again the limiter decides") {
  StoppableRedis redis;
  Serving serve(two_per_hour(redis));
  Client client(serve.port());
  CHECK(client.get("/").status == 200);
  redis.stop();
  const Response away = client.get("/");
  CHECK(away.status == 503);
  CHECK(away.field("Rlctl-Limiter") == "unavailable");
  CHECK(away.field("Retry-After") == "1");
  CHECK(json::parse(away.body).contains("error"));
  CHECK(client.get("/healthz").status == 503);
  CHECK(json::parse(client.get("/healthz").body)["redis"] == "away");

  redis.start();  // empty, and without scripts
  get_until(200, serve.port(), "/healthz");
  CHECK(client.get("/").status == 200);
  CHECK(client.get("/").status == 200);
  CHECK(client.get("/").status == 429);
  const Outcome outcome = serve.stop();
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "3 allowed, 1 denied, 1 errors"));
  CHECK(contains(outcome.err, "the connection to Redis is lost"));
  CHECK(contains(outcome.err, "Redis is back"));
}

TEST_CASE("open: without Redis every request passes, and the answer says that nobody decided") {
  StoppableRedis redis;
  Serving serve(two_per_hour(redis, {"--on-error", "open"}));
  Client client(serve.port());
  CHECK(client.get("/").field("Rlctl-Limiter") == "");
  redis.stop();
  for (int i = 0; i < 5; ++i) {
    const Response open = client.get("/");
    CHECK(open.status == 200);
    CHECK(open.field("Rlctl-Limiter") == "unavailable");
    CHECK(open.field("RateLimit") == "");
  }
  CHECK(client.get("/healthz").status == 200);
  redis.start();
  get_until(429, serve.port(), "/");
  const Outcome outcome = serve.stop();
  CHECK(contains(outcome.out, " 1 denied"));
}

TEST_CASE("a Redis that hangs counts as down after --timeout, and is used again when it answers") {
  StoppableRedis redis;
  Serving serve(two_per_hour(redis, {"--timeout", "1s"}));
  CHECK(get(serve.port(), "/").status == 200);
  redis.freeze();
  CHECK(get(serve.port(), "/").status == 503);  // in flight when it hung
  CHECK(get(serve.port(), "/").status == 503);
  redis.thaw();
  get_until(429, serve.port(), "/");
}

TEST_CASE("a refusal by Redis is not a decision, and the operator sees the reason once") {
  TestRedis redis;
  redis.command({"SADD", "k:127.0.0.1", "precious"});
  Serving serve({"--redis", redis.url(), "--key", "k:<ip>", "--limit", "2", "--window", "1h"});
  for (int i = 0; i < 3; ++i) CHECK(get(serve.port(), "/").status == 503);
  CHECK(get(serve.port(), "/healthz").status == 200);
  const Outcome outcome = serve.stop();
  const std::string words = "no decision: 'k:127.0.0.1' holds what sliding-list does not store";
  const auto told = outcome.err.find(words);
  CHECK_MESSAGE(told != outcome.err.npos, outcome.err);
  CHECK(outcome.err.find(words, told + 1) == outcome.err.npos);
  CHECK(redis.number({"SCARD", "k:127.0.0.1"}) == 1);
}

TEST_CASE("a port in use is one clear line") {
  TestRedis redis;
  Serving serve({"--redis", redis.url(), "--limit", "1", "--window", "1s"});
  const Outcome outcome = redis.rlctl({"serve", "--limit", "1", "--window", "1s", "--listen",
                                       "127.0.0.1:" + std::to_string(serve.port())});
  CHECK(outcome.exit == 3);
  CHECK(outcome.out.empty());
  CHECK_MESSAGE(contains(outcome.err, "listens there: choose"), outcome.err);
}

TEST_CASE("serve starts while a master of a cluster is away, and decides for the others' clients") {
  TestCluster servers({3, 0});
  const auto user_at = [&](std::size_t node) {
    std::string user = "u";
    while (servers.node_of("rl:" + user) != node) user += 'x';
    return "X-User-Id: " + user + "\r\n";
  };
  const std::string here = user_at(0), gone = user_at(2), foreign = user_at(1);
  servers.command(0, {"FLUSHALL"});
  servers.kill(2);
  Serving serve(
      {"--redis", servers.url(0), "--limit", "1", "--window", "1h", "--key", "rl:<user>"});
  Client client(serve.port());
  const int first = client.get("/", here).status, second = client.get("/", here).status;
  CHECK(client.get("/", gone).status == 503);
  CHECK(client.get("/", foreign).status == 503);
  CHECK(client.get("/", gone).status == 503);
  const Outcome outcome = serve.stop();
  INFO(outcome.out << outcome.err);
  CHECK(first == 200);
  CHECK(second == 429);
  CHECK(contains(outcome.err, "its clients get no decision until it is back"));
  // The reason of one node is told although another one is away, and only once.
  const std::string words = "holds what sliding-list does not store";
  const std::size_t told = outcome.err.find(words);
  CHECK_MESSAGE(told != std::string::npos, outcome.err);
  CHECK(outcome.err.find(words, told + 1) == std::string::npos);
}
