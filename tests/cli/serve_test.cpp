// rlctl serve as a reference target: which requests it admits, and what it says about the limit.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

const Arguments kTwentyPerMinute{"--route",  "/v4/movies", "--key",   "ratelimit:ip:<ip>",
                                 "--limit",  "20",         "--algo",  "sliding",
                                 "--window", "60s",        "--block", "60s"};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments on(TestRedis& redis, const Arguments& arguments) {
  return with(arguments, {"--redis", redis.url()});
}

// A limit that no test here reaches.
Arguments generous(const Arguments& more = {}) {
  return with({"--route", "/x", "--limit", "1000000", "--window", "1h"}, more);
}

}  // namespace

TEST_CASE("twenty a minute pass, the next gets a Retry-After, and during the block all do") {
  TestRedis redis;
  Serving serve(on(redis, kTwentyPerMinute));
  Client client(serve.port());
  for (int i = 0; i < 20; ++i) {
    const Response response = client.get("/v4/movies?page=2");
    REQUIRE(response.status == 200);
    CHECK(response.field("RateLimit-Policy") == "\"/v4/movies\";q=20;w=60");
    CHECK(json::parse(response.body)["remaining"] == 19 - i);
    CHECK(response.field("RateLimit") == "\"/v4/movies\";r=" + std::to_string(19 - i));
  }
  const Response denied = client.get("/v4/movies");
  CHECK(denied.status == 429);
  CHECK(denied.field("Retry-After") == "60");
  CHECK(denied.field("RateLimit") == "\"/v4/movies\";r=0;t=60");
  CHECK(denied.field("Content-Type") == "application/json");
  CHECK(json::parse(denied.body)["limit"] == 20);
  CHECK(redis.number({"EXISTS", "ratelimit:ip:127.0.0.1:blocked"}) == 1);
  CHECK(redis.number({"ZCARD", "ratelimit:ip:127.0.0.1"}) == 20);
  CHECK(serve.stop().exit == 0);
}

TEST_CASE("a client that waits for Retry-After is admitted") {
  TestRedis redis;
  Serving serve(on(redis, {"--limit", "1", "--window", "1900ms"}));
  Client client(serve.port());
  CHECK(client.get("/").status == 200);
  const Response denied = client.get("/");
  REQUIRE(denied.status == 429);
  const int retry_after = std::stoi(denied.field("Retry-After"));
  CHECK(retry_after >= 1);
  CHECK(retry_after <= 2);                                 // the rest of 1.9 s, rounded up
  CHECK(denied.field("RateLimit-Policy") == "\"/\";q=1");  // 1.9 s is not a whole number of seconds
  sleep(static_cast<unsigned>(retry_after));
  CHECK(client.get("/").status == 200);
}

TEST_CASE("any method is a request, and HEAD gets no body") {
  TestRedis redis;
  Serving serve(on(redis, {"--limit", "3", "--window", "1h"}));
  Client client(serve.port());
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const Response head = client.receive(false);
  CHECK(head.status == 200);
  CHECK(head.field("Content-Length") != "0");
  CHECK(head.field("Date").size() == 29);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(json::parse(client.receive().body)["remaining"] == 1);
  client.send("DELETE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  CHECK(json::parse(client.receive().body)["remaining"] == 0);
  CHECK(client.get("/").status == 429);
}

TEST_CASE("unknown paths and /healthz are answered without the limiter") {
  TestRedis redis;
  Serving serve(on(redis, {"--route", "/x", "--limit", "1", "--window", "1h"}));
  Client client(serve.port());
  for (int i = 0; i < 3; ++i) {
    CHECK(client.get("/X").status == 404);
    CHECK(client.get("/x/").status == 404);
    CHECK(client.get("/healthz").status == 200);
  }
  CHECK(client.get("/x").status == 200);
  const Outcome outcome = serve.stop();
  CHECK(outcome.out == "1 request: 1 allowed, 0 denied, 0 errors; 9 other, 0 refused\n");
}

TEST_CASE("X-Forwarded-For counts only from trusted proxies") {
  TestRedis redis;
  const Arguments one{"--key", "k:<ip>", "--limit", "1", "--window", "1h"};
  SUBCASE("by default no proxy is trusted: one client, whatever the header says") {
    Serving serve(on(redis, one));
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 203.0.113.1\r\n").status == 200);
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 203.0.113.2\r\n").status == 429);
    CHECK(redis.number({"EXISTS", "k:127.0.0.1"}) == 1);
    CHECK(redis.number({"DBSIZE"}) == 1);
  }
  SUBCASE("a trusted proxy separates the clients, and they can't fake addresses") {
    Serving serve(on(redis, with(one, {"--trust-proxy", "127.0.0.0/8"})));
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 203.0.113.1\r\n").status == 200);
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 203.0.113.2\r\n").status == 200);
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 9.9.9.9, 203.0.113.2\r\n").status == 429);
    CHECK(get(serve.port(), "/", "X-Forwarded-For: 2001:DB8::1\r\n").status == 200);
    CHECK(redis.number({"EXISTS", "k:2001_db8_0_0_0_0_0_1"}) == 1);
  }
  SUBCASE("an invalid address never gets into a key") {
    Serving serve(on(redis, with(one, {"--trust-proxy", "127.0.0.1"})));
    CHECK(get(serve.port(), "/", "X-Forwarded-For: unknown\r\n").status == 200);
    CHECK(get(serve.port(), "/", "X-Forwarded-For: \xff'; FLUSHALL\r\n").status == 429);
    CHECK(redis.number({"EXISTS", "k:127.0.0.1"}) == 1);
    CHECK(redis.number({"DBSIZE"}) == 1);
  }
}

TEST_CASE("X-User-Id is the user, byte for byte, with a limited length") {
  TestRedis redis;
  Serving serve(on(redis, {"--key", "k:<user>", "--limit", "1", "--window", "1h"}));
  CHECK(get(serve.port(), "/", "X-User-Id: a\xff \x80z\r\n").status == 200);
  CHECK(get(serve.port(), "/", "x-user-id: b\r\n").status == 200);
  CHECK(get(serve.port(), "/").status == 200);
  CHECK(get(serve.port(), "/").status == 429);
  CHECK(get(serve.port(), "/", "X-User-Id: " + std::string(257, 'u') + "\r\n").status == 400);
  CHECK(redis.number({"EXISTS", "k:a\xff \x80z"}) == 1);
  CHECK(redis.number({"EXISTS", "k:b"}) == 1);
  CHECK(redis.number({"EXISTS", "k:unknown"}) == 1);
  CHECK(redis.number({"DBSIZE"}) == 3);
}

TEST_CASE("a script that runs step by step works too, with a connection per request in flight") {
  TestRedis redis;
  Serving serve(
      on(redis, {"--algo", "sliding", "--run", "client", "--limit", "50", "--window", "1h"}));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(std::make_unique<Client>(serve.port()));
  int allowed = 0;
  for (int round = 0; round < 2; ++round) {
    for (const auto& client : clients) client->send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    for (const auto& client : clients) allowed += client->receive().status == 200 ? 1 : 0;
  }
  CHECK(allowed >= 50);  // more if the steps of several requests overlapped
  CHECK(get(serve.port(), "/").status == 429);
  CHECK(contains(serve.stop().out, "81 requests"));
}

TEST_CASE("a queue answers an admitted request when its turn comes") {
  TestRedis redis;
  Serving serve(on(redis, {"--algo", "leaky-queue", "--limit", "2", "--window", "4s"}));
  Client first(serve.port()), second(serve.port());
  CHECK(first.get("/").status == 200);
  const auto before = std::chrono::steady_clock::now();
  CHECK(second.get("/").status == 200);
  CHECK(std::chrono::steady_clock::now() - before >= std::chrono::seconds(1));
}

TEST_CASE("a file of routes gives each route its own policy") {
  TestRedis redis;
  const std::string file = std::filesystem::temp_directory_path() /
                           ("rlctl_routes_" + std::to_string(getpid()) + ".json");
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  write(R"({"routes": [
    {"path": "/a", "key": "a:<ip>", "limit": 1, "window": "1h"},
    {"path": "/b", "key": "b:<ip>", "limit": 2, "window": "1h", "algo": "gcra"}]})");
  {
    Serving serve(on(redis, {"--routes", file}));
    Client client(serve.port());
    CHECK(client.get("/a").status == 200);
    CHECK(client.get("/a").status == 429);
    // what a bucket admits in a window is more than its rate
    CHECK(client.get("/b").field("RateLimit-Policy") == "\"/b\";q=2");
    CHECK(client.get("/").status == 404);
  }
  std::filesystem::remove(file);
}

TEST_CASE("serve without an algorithm takes the one that keeps the rule, and else says so") {
  TestRedis redis;
  const std::string bucket = "bucket 3 + 1/1h";
  const Folder folder;
  const std::string routes = folder.write(
      "routes.json", R"({"routes": [{"path": "/", "key": "b:<ip>", "rules": ")" + bucket + "\"}]}");
  for (const Arguments& arguments :
       {Arguments{"--policy", bucket}, Arguments{"--routes", routes}}) {
    Serving serve(on(redis, arguments));
    Client client(serve.port());
    for (int i = 0; i < 3; ++i) CHECK(client.get("/").status == 200);
    CHECK(client.get("/").status == 429);
    CHECK(serve.stop().err == "");
  }
  Serving other(on(redis, {"--policy", bucket, "--algo", "fixed"}));
  CHECK(contains(other.stop().err,
                 "note: fixed promises '1/1h fixed', not 'bucket 3 + 1/1h'; "
                 "token-bucket promises that"));
}

TEST_CASE("the limit in an answer is how many a bucket admits at once, as in its header") {
  TestRedis redis;
  Serving serve(on(redis, {"--policy", "bucket 2 + 1/1h"}));
  Client client(serve.port());
  const Response first = client.get("/");
  CHECK(first.field("RateLimit-Policy") == "\"/\";q=2");
  CHECK(json::parse(first.body)["limit"] == 2);
  CHECK(json::parse(client.get("/").body)["limit"] == 2);
  const Response denied = client.get("/");
  CHECK(denied.status == 429);
  CHECK(json::parse(denied.body)["limit"] == 2);
  CHECK_FALSE(json::parse(denied.body).contains("window"));  // two in an hour are not the limit
}

TEST_CASE("what another program keeps in a key is not overwritten, and is told once") {
  TestRedis redis;
  for (const char* key : {"k:u1", "k:u2"}) redis.command({"SET", key, "42"});
  Serving serve(on(redis, {"--algo", "gcra", "--key", "k:<user>", "--limit", "2", "--window", "1h",
                           "--run", "server"}));
  for (int i = 0; i < 2; ++i) {
    CHECK(get(serve.port(), "/", "X-User-Id: u1\r\n").status == 503);
    CHECK(get(serve.port(), "/", "X-User-Id: u2\r\n").status == 503);
    CHECK(get(serve.port(), "/", "X-User-Id: mine\r\n").status == 200);
  }
  CHECK(get(serve.port(), "/", "X-User-Id: mine\r\n").status == 429);
  CHECK(redis.text({"GET", "k:u1"}) == "42");
  const Outcome outcome = serve.stop();
  const auto told = outcome.err.find("no decision: 'k:u1' holds what gcra does not store: ");
  CHECK_MESSAGE(told != outcome.err.npos, outcome.err);
  CHECK(outcome.err.find("does not store", told + 60) == outcome.err.npos);
  // It knows its own state again after a restart.
  Serving again(on(redis, {"--algo", "gcra", "--key", "k:<user>", "--limit", "2", "--window", "1h",
                           "--on-error", "open"}));
  CHECK(get(again.port(), "/", "X-User-Id: mine\r\n").status == 429);
  CHECK(get(again.port(), "/", "X-User-Id: u1\r\n").status == 200);
  CHECK(redis.text({"GET", "k:u1"}) == "42");
}

TEST_CASE(
    "what a script of the user stores is known by its manifest, or it is told that it is not") {
  TestRedis redis;
  const Folder folder;
  const std::string script = folder.write("own.lua",
                                          "redis.call('DEL', KEYS[1])\n"
                                          "redis.call('HSET', KEYS[1], 'tokens', 1)\n"
                                          "return 1\n");
  const Arguments plain{"--algo", script, "--key", "k:<user>", "--limit", "2", "--window", "1h"};
  const auto serving = [&](const std::string& manifest) {
    return on(redis, with(plain, {"--manifest", "keys = <key>\nreply = allowed" + manifest}));
  };
  redis.command({"SET", "k:u1", "42"});
  Serving told(serving("\nstate = hash: tokens"));
  CHECK(get(told.port(), "/", "X-User-Id: u1\r\n").status == 503);
  for (int i = 0; i < 2; ++i) CHECK(get(told.port(), "/", "X-User-Id: mine\r\n").status == 200);
  CHECK(redis.text({"GET", "k:u1"}) == "42");
  const std::string err = told.stop().err;
  CHECK_MESSAGE(contains(err, "'k:u1' holds what own does not store"), err);
  CHECK_FALSE(contains(err, "note:"));
  Serving untold(serving(""));
  CHECK(get(untold.port(), "/", "X-User-Id: u1\r\n").status == 200);
  CHECK(contains(untold.stop().err, "note: route '/': nothing tells what 'own' stores, so"));
}

TEST_CASE("what a command stores is not known, which is told unless the server is private") {
  TestRedis redis;
  const Arguments counting{"--command", "INCR <key>", "--allowed", "reply[1] <= 2",
                           "--limit",   "2",          "--window",  "1h"};
  Serving serve(on(redis, counting));
  CHECK(contains(serve.stop().err, "nothing tells what 'INCR' stores, so"));
  Serving alone(counting);
  CHECK(alone.stop().err == "");
}

TEST_CASE("the remedy for another program's key is one that a file of routes can have") {
  TestRedis redis;
  redis.command({"RPUSH", "k:u1", "1764230000000000"});
  const Folder folder;
  const std::string routes = folder.write("routes.json", R"({"routes": [
    {"path": "/", "key": "k:<user>", "limit": 1, "window": "1h", "algo": "gcra"}]})");
  Serving serve(on(redis, {"--routes", routes}));
  CHECK(get(serve.port(), "/", "X-User-Id: u1\r\n").status == 503);
  const std::string told = serve.stop().err;
  INFO(told);
  CHECK(contains(told, "if you know what wrote it: the route's \"algo\": sliding-list"));
  CHECK_FALSE(contains(told, "--algo"));
}

TEST_CASE("routes may share a key if they share the limiter") {
  TestRedis redis;
  const Folder folder;
  const std::string routes = folder.write("routes.json", R"({"routes": [
    {"path": "/a", "key": "k:<ip>", "limit": 1, "window": "1h"},
    {"path": "/b", "key": "k:<ip>", "limit": 1, "window": "1h"}]})");
  Serving serve(on(redis, {"--routes", routes}));
  CHECK(get(serve.port(), "/a").status == 200);
  CHECK(get(serve.port(), "/b").status == 429);
}

TEST_CASE("routes may share a block flag, and a key to which each adds another ending") {
  TestRedis redis;
  const Folder folder;
  for (const char* routes : {R"({"routes": [
    {"path": "/a", "key": "k:<ip>:minute", "limit": 1, "window": "1m", "block": "1h"},
    {"path": "/b", "key": "k:<ip>:hour", "limit": 9, "window": "1h", "block": "1h"}]})",
                             R"({"routes": [
    {"path": "/a", "key": "w:<ip>", "limit": 1, "window": "1h", "algo": "textbook-fixed"},
    {"path": "/b", "key": "w:<ip>", "limit": 9, "window": "1d", "algo": "textbook-fixed"}]})"}) {
    Serving serve(on(redis, {"--routes", folder.write("routes.json", routes)}));
    CHECK(get(serve.port(), "/b").status == 200);
    CHECK(get(serve.port(), "/a").status == 200);
    CHECK(get(serve.port(), "/a").status == 429);
  }
}

TEST_CASE("--json ends with one object, and --quiet without a summary") {
  TestRedis redis;
  Serving summed(on(redis, generous({"--json"})));
  CHECK(get(summed.port(), "/x").status == 200);
  CHECK(get(summed.port(), "/y").status == 404);
  const json summary = json::parse(summed.stop().out);
  CHECK(summary["schema"] == "rlctl.serve/1");
  CHECK(summary["requests"] == 1);
  CHECK(summary["other"] == 1);
  Serving quiet(on(redis, generous({"--quiet"})));
  CHECK(get(quiet.port(), "/x").status == 200);
  const Outcome silent = quiet.stop();
  CHECK(silent.exit == 0);
  CHECK(silent.out + silent.err == "");
}
