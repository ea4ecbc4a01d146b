#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "limiter/registry.h"
#include "tools/folder.h"

using nlohmann::json;

TEST_CASE("hit --json has remaining, retry-after and the server's time") {
  TestRedis redis;
  const Outcome outcome = redis.rlctl({"hit", "k", "--limit", "1", "--window", "1h", "--requests",
                                       "2", "--json", "--algo", "sliding"});
  const json document = json::parse(outcome.out);
  CHECK(document["schema"] == "rlctl.hit/1");
  REQUIRE(document["decisions"].size() == 2);
  CHECK(document["decisions"][0]["allowed"] == true);
  CHECK(document["decisions"][0]["remaining"] == 0);
  CHECK(document["decisions"][1]["retry_after_us"].get<std::int64_t>() > 0);
  CHECK(document["decisions"][1].contains("server_us"));
}

TEST_CASE("a key of another type is one clear line, and the key is not changed") {
  TestRedis redis;
  redis.command({"SADD", "k", "precious"});
  const Outcome outcome = redis.rlctl({"hit", "k", "--limit", "2", "--window", "1h"});
  CHECK(outcome.exit == 3);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "not hit: 'k' holds what sliding-list does not store: a set"));
  CHECK(redis.number({"SCARD", "k"}) == 1);
}

TEST_CASE("what a script of the user stores is known by the lines that are given with it") {
  TestRedis redis;
  const rlctl::test::Folder folder;
  const std::string script =
      folder.write("own.lua", "redis.call('HSET', KEYS[1], 'tokens', 1)\nreturn 1\n");
  const auto hit = [&](const std::string& key) {
    return redis.rlctl({"hit", key, "--algo", script, "--manifest",
                        "keys = <key>\nreply = allowed\nstate = hash: tokens", "--limit", "2",
                        "--window", "1h"});
  };
  for (int i = 0; i < 2; ++i) CHECK(hit("mine").out == "allowed\n");
  redis.command({"HSET", "cart", "apples", "3"});
  CHECK(contains(hit("cart").err, "not hit: 'cart' holds what own does not store"));
  CHECK(redis.number({"HLEN", "cart"}) == 1);
}

TEST_CASE("hit denies a blocked client, also if the flag is another software's") {
  TestRedis redis;
  redis.command({"SET", "api:u1:blocked", "1"});
  for (const std::string block : {"", "60s"}) {
    Arguments hit{"hit", "api:u1", "--limit", "20", "--window", "60s"};
    if (!block.empty()) hit.insert(hit.end(), {"--block", block});
    const Outcome outcome = redis.rlctl(hit);
    CHECK(outcome.exit == 1);
    CHECK(outcome.out == "denied, blocked for ever by 'api:u1:blocked'\n");
  }
  CHECK(redis.number({"DBSIZE"}) == 1);
}

TEST_CASE("hit writes nothing over a foreign key, nor a second limiter beside one") {
  TestRedis redis;
  redis.command({"SET", "api:u1", "37", "PX", "60000"});
  redis.command({"SET", "api:u2:minute", "37", "PX", "60000"});
  const Arguments policy{"--limit", "20", "--window", "60s"};
  const auto hit = [&](Arguments words) {
    words.insert(words.end(), policy.begin(), policy.end());
    return redis.rlctl(words);
  };
  const Outcome foreign = hit({"hit", "api:u1"});
  CHECK(foreign.exit == 3);
  CHECK(contains(foreign.err, "sliding-list does not store: number 37"));
  CHECK(contains(foreign.err, "--algo fixed-anchored"));
  const Outcome beside = hit({"hit", "api:u2"});
  CHECK(beside.exit == 3);
  CHECK(contains(beside.err, "there is 'api:u2:minute': a hit would begin a second limiter"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.text({"GET", "api:u1"}) == "37");
  CHECK(hit({"hit", "api:u1", "--algo", "fixed-anchored"}).exit == 1);
}

TEST_CASE("hit goes on with the state that each algorithm has left") {
  TestRedis redis;
  const std::vector<std::string> names = rlctl::Registry().sound_names();
  REQUIRE(!names.empty());
  for (const std::string& name : names) {
    CAPTURE(name);
    const Arguments hit{"hit", "k:" + name, "--algo", name, "--limit", "10", "--window", "1h"};
    CHECK(redis.rlctl(hit).exit == 0);
    CHECK(redis.rlctl(hit).exit == 0);
  }
}

TEST_CASE("hit without --algo takes the algorithm that keeps the rule") {
  TestRedis redis;
  struct Taken {
    std::string policy, algorithm;
  };
  for (const Taken& taken :
       {Taken{"3/1h", "sliding-list"}, Taken{"3/1h fixed", "fixed"},
        Taken{"3/1h first-hit", "fixed-anchored"}, Taken{"bucket 3 + 1/1h", "token-bucket"},
        Taken{"3 in flight, lease 1h", "lease"}}) {
    CAPTURE(taken.policy);
    const Outcome outcome = redis.rlctl(
        {"hit", "k:" + taken.algorithm, "--policy", taken.policy, "--requests", "4", "--json"});
    CHECK(outcome.exit == 1);
    CHECK(outcome.err.empty());
    const json document = json::parse(outcome.out);
    CHECK(document["algorithm"] == taken.algorithm);
    REQUIRE(document["decisions"].size() == 4);
    CHECK(document["decisions"][2]["allowed"] == true);
    CHECK(document["decisions"][3]["allowed"] == false);
  }
}

TEST_CASE("hit says what a script promises in place of the rule") {
  TestRedis redis;
  const auto told = [&](const std::string& key, const Arguments& more) {
    Arguments hit{"hit", key};
    hit.insert(hit.end(), more.begin(), more.end());
    return redis.rlctl(hit).err;
  };
  CHECK(told("a", {"--algo", "sliding-list", "--policy", "bucket 100 + 1/1s"}) ==
        "rlctl: note: sliding-list promises '1/1s', not 'bucket 100 + 1/1s'; token-bucket promises "
        "that\n");
  CHECK(told("b", {"--algo", "token-bucket", "--limit", "5", "--window", "1m"}) ==
        "rlctl: note: token-bucket promises 'bucket 5 + 5/1m', not '5/1m'; sliding-list promises "
        "that\n");
  CHECK(told("c", {"--policy", "3 in flight"}) ==
        "rlctl: note: lease promises '3 in flight, lease 1m', not '3 in flight'\n");
  CHECK(told("d", {"--policy", "5/1m, denied count"}) ==
        "rlctl: note: sliding-list promises '5/1m', not '5/1m, denied count'\n");
  CHECK(told("e", {"--policy", "5/1m, per user", "--block", "1m"}) == "");
  CHECK(told("f", {"--algo", "sliding-counter", "--policy", "5/1m"}) == "");  // promises nothing
}

TEST_CASE("hit --wait: an admission that no replica confirms is unknown, a denial needs nobody") {
  TestRedis redis;
  const Arguments hit{"hit", "k", "--limit", "1", "--window", "1m", "--wait", "1"};
  const Outcome unconfirmed = redis.rlctl(hit);
  CHECK(unconfirmed.exit == 3);
  CHECK(unconfirmed.out == "unknown, may have been counted\n");
  CHECK(contains(unconfirmed.err, "allowed, but 0 of 1 replica confirmed it within 100ms"));
  CHECK(redis.rlctl(hit).exit == 1);
  CHECK(redis.rlctl({"hit", "k", "--limit", "1", "--window", "1m", "--wait-timeout", "1s"}).exit ==
        2);
}

TEST_CASE("hit: Ctrl-C says after how many hits") {
  TestRedis redis;
  const Outcome outcome =
      redis.rlctl_interrupted({"hit", "rl:u", "--policy", "5/1m", "--requests", "1000000"},
                              [&] { return redis.calls("evalsha") >= 10; });
  CHECK(outcome.exit == 130);
  CHECK(contains(outcome.out, "allowed, 0 of 5 left"));
  CHECK(contains(outcome.err, "interrupted after "));
  CHECK(contains(outcome.err, " of 1,000,000 hits"));
}

TEST_CASE("a wrong password is refused and shown nowhere") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "requirepass", "right"});
  for (const std::string verb : {"list", "load"}) {
    const Outcome outcome =
        run_rlctl({verb, "--redis", redis.url()}, {}, {"REDISCLI_AUTH=canary-1234"});
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, "user or password is wrong"));
    CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
  }
  CHECK(run_rlctl({"list", "--redis", redis.url()}, {}, {"REDISCLI_AUTH=right"}).exit == 0);
}
