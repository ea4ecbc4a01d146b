#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/support/inspected.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;

namespace {

// A server with one zset log as other software writes it: scores in ms, random members.
struct WithForeignLog : TestRedis {
  explicit WithForeignLog(int entries) {
    const auto now_ms = std::stoll(command({"TIME"}).elements[0].text) * 1000;
    for (int i = 0; i < entries; ++i)
      command({"ZADD", "log", std::to_string(now_ms - 1000 * (entries - i)),
               "member-" + std::to_string(i)});
    command({"PEXPIRE", "log", "60000"});
  }
};

}  // namespace

TEST_CASE("inspect reads the state of each algorithm, and counts what is used") {
  TestRedis redis;
  for (const std::string algorithm :
       {"fixed", "fixed-anchored", "sliding", "sliding-list", "sliding-counter", "gcra"}) {
    CAPTURE(algorithm);
    const Arguments policy{"--limit", "10", "--window", "1h"};
    Arguments hit{"hit", algorithm, "--algo", algorithm, "--requests", "4"};
    hit.insert(hit.end(), policy.begin(), policy.end());
    REQUIRE(redis.rlctl(hit).exit == 0);
    Arguments inspect{algorithm};
    inspect.insert(inspect.end(), policy.begin(), policy.end());
    const json limiters = inspected(redis, inspect);
    REQUIRE(limiters.size() == 1);
    const json& key = limiters[0]["keys"][0];
    CAPTURE(key.dump());
    // One number may be anything: fixed, fixed-anchored and gcra store no more.
    const char* const used = key["guess"] ? "used_if_it_counts" : "used";
    REQUIRE(key.contains(used));
    CHECK(std::ceil(key[used].get<double>()) == 4);
    CHECK_FALSE(key["stuck"].get<bool>());
    CHECK(json(key["algorithms"]).dump().find('"' + algorithm + '"') != std::string::npos);
  }
}

TEST_CASE("a client is full if its next request is denied, in whatever its algorithm counts") {
  TestRedis redis;
  const Arguments policy{"--limit", "5", "--window", "1h"};
  const auto with_policy = [&](Arguments arguments) {
    arguments.insert(arguments.end(), policy.begin(), policy.end());
    return arguments;
  };
  for (const std::string name : {"gcra", "token-bucket", "leaky-bucket", "leaky-queue"}) {
    CAPTURE(name);
    const std::string key = "k:" + name;
    const Outcome hit = redis.rlctl(with_policy({"hit", key, "--algo", name, "--requests", "7"}));
    CHECK(contains(hit.out, "denied, retry after 12 m\n"));
    const json full = inspected(redis, with_policy({key, "--algo", name}), 1)[0];
    CHECK(full["state"] == "full");
    CHECK(contains(full["words"], "5 of 5 used; the next is admitted in 1"));
  }
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once", "--interval", "100ms"}}) {
    const Outcome outcome = redis.rlctl(with_policy(verb));
    INFO(outcome.out);
    for (const char* shown : {"full 1", "full? 1"}) CHECK(contains(outcome.out, shown));
  }
  redis.rlctl(with_policy({"hit", "one", "--algo", "token-bucket", "--requests", "4"}));
  CHECK(inspected(redis, with_policy({"one"}))[0]["state"] == "free");
}

TEST_CASE("a blocked bucket admits the next when both the block and its level allow it") {
  TestRedis redis;
  const Arguments hit{"hit",      "k",  "--algo",  "token-bucket", "--limit",    "5",
                      "--window", "1h", "--block", "40m",          "--requests", "6"};
  redis.rlctl(hit);
  const Arguments inspect{"inspect", "k", "--limit", "5", "--window", "1h"};
  const Outcome longer = redis.rlctl(inspect);
  INFO(longer.out);
  CHECK(longer.out.starts_with("k: 5 of 5 used; blocked for 40 m; the next is admitted in 40 m\n"));
  redis.command({"SET", "k:blocked", "1", "EX", "60"});
  CHECK(contains(redis.rlctl(inspect).out, "; the next is admitted in 1"));
  redis.command({"SET", "k:blocked", "1"});
  const Outcome for_ever = redis.rlctl(inspect);
  CHECK(contains(for_ever.out, "blocked for ever"));
  CHECK_FALSE(contains(for_ever.out, "admitted"));
}

TEST_CASE("an expiry at the end of time is far away, not in the past") {
  TestRedis redis;
  for (const char* key : {"k", "k:blocked"}) {
    redis.command({"SET", key, "1"});
    redis.command({"PEXPIREAT", key, "9223372036854775807"});
  }
  for (const Arguments& verb : {Arguments{"inspect", "k"}, {"list"}, {"watch", "--once"}}) {
    const Outcome outcome = redis.rlctl(verb);
    INFO(outcome.out, outcome.err);
    CHECK_FALSE(contains(outcome.out, " -2"));
    CHECK_FALSE(contains(outcome.out, "1969"));
    CHECK(contains(outcome.out, verb.front() == "inspect" ? "more than 100 years" : ">100y"));
  }
  const json list = json::parse(redis.rlctl({"list", "--json"}).out)["limiters"][0];
  CHECK(list["frees_us"] > 1'000'000'000'000'000);
  CHECK(list["blocked_left_us"] > 1'000'000'000'000'000);
  redis.command({"DEL", "k:blocked"});
  const json key = inspected(redis, {"k"})[0]["keys"][0];
  CHECK(key["frees_us"] > 1'000'000'000'000'000);
  CHECK(contains(redis.rlctl({"inspect", "k"}).out, "expires in more than 100 years"));
}

TEST_CASE("--algo distinguishes algorithms with the same kind of state") {
  TestRedis redis;
  redis.rlctl({"hit", "b", "--algo", "token-bucket", "--limit", "10", "--window", "1h"});
  const json key = inspected(
      redis, {"b", "--algo", "token-bucket", "--limit", "10", "--window", "1h"})[0]["keys"][0];
  CHECK(std::ceil(key["used"].get<double>()) == 1);
}

TEST_CASE("the numbers of a bucket are no limit of what counts in another way") {
  TestRedis redis;
  redis.command({"SET", "rlflx:z", "3", "EX", "60"});
  redis.command({"SET", "k", "3", "EX", "60"});
  const WithForeignLog log(3);
  for (const auto& [server, key] :
       {std::pair<const TestRedis*, const char*>{&redis, "z"}, {&redis, "k"}, {&log, "log"}}) {
    CAPTURE(key);
    const Outcome outcome = server->rlctl({"inspect", key, "--policy", "bucket 5 + 1/1s"});
    INFO(outcome.out);
    CHECK(outcome.exit == 0);
    CHECK_FALSE(contains(outcome.out, " of 1 used"));
    CHECK(contains(outcome.out, "the policy is that of a bucket, and this is none"));
  }
  redis.rlctl({"hit", "b", "--algo", "gcra", "--policy", "bucket 5 + 1/1h", "--requests", "5"});
  const Outcome full = redis.rlctl({"inspect", "b", "--policy", "bucket 5 + 1/1h"});
  CHECK(full.exit == 1);
  CHECK_FALSE(contains(full.out, "is that of a bucket"));
}

TEST_CASE("inspect --algo claims nothing of what that algorithm does not store, as hit says it") {
  TestRedis redis;
  redis.command({"SET", "k", "3", "EX", "36020"});
  for (const char* algorithm : {"gcra", "token-bucket", "sliding", "sliding-list", "fixed"}) {
    CAPTURE(algorithm);
    const Arguments told{"k", "--algo", algorithm, "--policy", "bucket 3 + 3/1m"};
    Arguments inspect{"inspect"};
    inspect.insert(inspect.end(), told.begin(), told.end());
    const Outcome outcome = redis.rlctl(inspect);
    CHECK(outcome.exit == 4);
    CHECK_FALSE(contains(outcome.out, "used"));
    CHECK_FALSE(contains(outcome.out, "window"));
    const std::string words =
        std::string("'k' holds what ") + algorithm + " does not store: number 3, expires in 10 h";
    CHECK(contains(outcome.err, words));
    CHECK(contains(
        redis.rlctl({"hit", "k", "--algo", algorithm, "--limit", "3", "--window", "1m"}).err,
        words));
  }
}

TEST_CASE("inspect reads a foreign log by the magnitude of its scores") {
  const WithForeignLog redis(8);
  const json limiter = inspected(redis, {"log", "--limit", "8", "--window", "60s"}, 1)[0];
  const json& key = limiter["keys"][0];
  CHECK(key["shape"] == "log");
  CHECK(key["time_unit"] == "ms");
  CHECK(key["algorithms"].empty());
  CHECK(key["used"] == 8);
  CHECK(key["entries"].size() == 8);
  CHECK(key["entries"][7]["member"] == "member-7");
  CHECK(contains(limiter["words"], "8 of 8 used; the oldest entry expires in 5"));
}

TEST_CASE("a list with its newest entry first is read newest last") {
  TestRedis redis;
  const auto now_s = std::stoll(redis.command({"TIME"}).elements[0].text);
  for (int i = 30; i > 0; --i)
    redis.command({"LPUSH", "moving", std::to_string(now_s - i) + ".250"});
  const json limiter =
      inspected(redis, {"moving", "--entries", "3", "--limit", "20", "--window", "15s"})[0];
  const json& key = limiter["keys"][0];
  CHECK(key["entries"].size() == 3);
  CHECK(key["entries"][2]["at_us"] == (now_s - 1) * 1'000'000 + 250'000);
  CHECK(key["stuck"] == false);  // old entries leave the window by themselves
  CHECK(key["live"].get<int>() <= 15);
  CHECK(key["live"].get<int>() >= 5);  // on a slow machine some may have expired
}

TEST_CASE("a big log is read in pages, and older entries are only counted") {
  WithForeignLog redis(500);
  const Outcome outcome = redis.rlctl({"inspect", "log", "--entries", "5"});
  CHECK(contains(outcome.out, "… and 495 older"));
  CHECK(contains(outcome.out, "member-499"));
  CHECK_FALSE(contains(outcome.out, "member-494"));
}

TEST_CASE("a number that nobody explains is a number, and what it may count is a hint") {
  TestRedis redis;
  redis.command({"SET", "api:u1", "37"});
  const Outcome outcome = redis.rlctl({"inspect", "api:u1", "--limit", "20", "--window", "60s"});
  CHECK(outcome.exit == 1);
  CHECK(outcome.out.starts_with("api:u1: the number 37\n"));
  CHECK(contains(outcome.out, "    never expires\n"));
  CHECK(contains(outcome.out,
                 "    if it counts requests, as fixed-anchored would store it, 37 of "
                 "20 are used, and it is never reset; --algo NAME"));
  CHECK_FALSE(contains(outcome.out, "STUCK"));
  const json alone = inspected(redis, {"api:u1"})[0]["keys"][0];
  CHECK_FALSE(alone.contains("used"));
  CHECK(alone["used_if_it_counts"] == 37);
  CHECK(alone["stuck"] == false);
  CHECK(alone["perhaps_stuck"] == true);
  const Outcome told = redis.rlctl({"inspect", "api:u1", "--algo", "fixed-anchored"});
  CHECK(contains(told.out, "STUCK: it never expires"));
}

TEST_CASE("a fraction, and a number far above the limit, is no count") {
  TestRedis redis;
  for (const char* key : {"myapp:gcra:u1", "rl:gcra:u1"})
    for (const char* value : {"59658171.5", "-3", "59658171"}) {
      CAPTURE(key);
      CAPTURE(value);
      redis.command({"SET", key, value, "EX", "60"});
      const Outcome outcome = redis.rlctl({"inspect", key, "--limit", "3", "--window", "60s"});
      CHECK(outcome.exit == 0);
      CHECK(outcome.out.starts_with(std::string(key) + ": the number " + value + "\n"));
      CHECK_FALSE(contains(outcome.out, "used"));
      CHECK_FALSE(contains(outcome.out, "counts"));
    }
}

TEST_CASE("a hash of settings is a hash, not a limiter that is stuck") {
  TestRedis redis;
  redis.command({"HSET", "config", "retries", "3", "limit", "100"});
  const Outcome outcome = redis.rlctl({"inspect", "config"});
  CHECK(contains(outcome.out, "hash of 2 fields: retries=3 limit=100"));
  CHECK_FALSE(contains(outcome.out, "STUCK"));
  CHECK_FALSE(contains(outcome.out, "used"));
  CHECK(redis.rlctl({"list", "--stuck"}).exit == 0);
}

TEST_CASE("the common part of several keys shows them as one limiter") {
  TestRedis redis;
  redis.command({"SET", "ratelimit:ip:0_0_0_0_0_0_0_1:minute", "3", "PX", "60000"});
  redis.command({"SET", "ratelimit:ip:0_0_0_0_0_0_0_1:blocked", "1", "PX", "30000"});
  const json limiters = inspected(redis, {"ratelimit:ip:0_0_0_0_0_0_0_1"}, 1);
  REQUIRE(limiters.size() == 1);
  CHECK(limiters[0]["keys"][0]["key"] == "ratelimit:ip:0_0_0_0_0_0_0_1:minute");
  CHECK(limiters[0]["block"]["blocked"] == true);
  CHECK(limiters[0]["block"]["left_us"].get<std::int64_t>() > 0);
}

// Keys of one client, as several libraries write them, and of others.
struct WithClient : TestRedis {
  WithClient() {
    for (const char* key :
         {"rl:api:203.0.113.7", "request_rate_limiter.{203.0.113.7}.tokens",
          "LIMITS:LIMITER/203.0.113.7/login/20/1/minute", "rl:203.0.113.70", "rl:198.51.100.1"})
      command({"SET", key, "7", "PX", "600000"});
    command({"HSET", "bucket:203.0.113.7", "tokens", "0", "last_refill", "1795214760"});
    command({"SET", "session:203.0.113.7", "{}"});
  }
};

TEST_CASE("inspect finds every limiter of a client, whatever wrote it, and no other client's") {
  WithClient redis;
  const Outcome free = redis.rlctl({"inspect", "203.0.113.7"});
  CHECK(free.exit == 0);
  for (const char* shown :
       {"4 limiters", "rl:api:203.0.113.7", "request_rate_limiter.{203.0.113.7}.tokens",
        "LIMITS:LIMITER/203.0.113.7/login/20/1/minute", "bucket:203.0.113.7",
        "not a limiter's data: session:203.0.113.7"})
    CHECK(contains(free.out, shown));
  CHECK_FALSE(contains(free.out, "203.0.113.70"));
  CHECK(contains(free.err, "only in a longer name, such as 'rl:203.0.113.70'"));
  redis.command({"SET", "rl:api:203.0.113.7:blocked", "1"});
  const Outcome blocked = redis.rlctl({"inspect", "203.0.113.7"});
  CHECK(blocked.exit == 1);
  CHECK(contains(blocked.out, "4 limiters, 1 blocked"));
  CHECK(contains(blocked.out, "blocked for ever"));
  const Outcome nobody = redis.rlctl({"inspect", "192.0.2.1"});
  CHECK(nobody.exit == 0);
  CHECK(contains(nobody.err, "no key contains '192.0.2.1'; 8 keys were searched"));
  CHECK(redis.calls("keys") == 0);
}

TEST_CASE("inspect exits with 1 if the client is blocked or full, and says for ever") {
  TestRedis redis;
  redis.command({"SET", "api:u1", "37", "PX", "60000"});
  CHECK(redis.rlctl({"inspect", "api:u1"}).exit == 0);
  CHECK(redis.rlctl({"inspect", "api:u1", "--limit", "20", "--window", "60s"}).exit == 1);
  CHECK(redis.rlctl({"inspect", "api:u1", "--limit", "50", "--window", "60s"}).exit == 0);
  redis.command({"SET", "api:u1:blocked", "1"});
  const json limiter = inspected(redis, {"api:u1"}, 1)[0];
  CHECK(limiter["block"]["for_ever"] == true);
  CHECK(limiter["state"] == "blocked");
}

TEST_CASE("a full token bucket of another library is shown as it is stored") {
  TestRedis redis;
  redis.command({"SET", "request_rate_limiter.{u1}.tokens", "40", "PX", "60000"});
  const Outcome outcome = redis.rlctl(
      {"inspect", "request_rate_limiter.{u1}.tokens", "--limit", "20", "--window", "60s"});
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "number 40"));
  CHECK_FALSE(contains(outcome.out, "used"));
}

TEST_CASE("control characters in names and members are shown escaped, and JSON is reversible") {
  TestRedis redis;
  const std::string name = "k\x1b[31m\n\xff";
  redis.command({"SET", name, "5\x1b", "PX", "60000"});
  const Outcome text = redis.rlctl({"inspect", "k*"});
  CHECK_FALSE(contains(text.out + text.err, "\x1b"));
  CHECK(contains(text.out, "k\\x1b[31m\\x0a\\xff"));
  const json key = inspected(redis, {"--escaped", "k\\x1b[31m\\x0a\\xff"})[0]["keys"][0];
  CHECK(key["key"] == "k\\x1b[31m\\x0a\\xff");
  CHECK(key["key_b64"] == "axtbMzFtCv8=");
}

TEST_CASE("inspect and list change nothing") {
  WithForeignLog redis(30);
  redis.command({"SET", "counter", "5"});
  redis.command({"HSET", "bucket", "tokens", "5", "at_us", "1763683982123456"});
  const auto dirty = [&] {
    const std::string info = redis.text({"INFO", "persistence"});
    const std::string label = "rdb_changes_since_last_save:";
    return info.substr(info.find(label), info.find('\r', info.find(label)) - info.find(label));
  };
  const std::string before = dirty();
  redis.rlctl({"inspect", "log", "counter", "bucket", "--limit", "5", "--window", "60s"});
  redis.rlctl({"inspect", "*"});
  redis.rlctl({"list"});
  CHECK(dirty() == before);
  CHECK(redis.calls("keys") == 0);
}

TEST_CASE("inspect: Ctrl-C says that not all keys were read") {
  TestRedis redis;
  for (int i = 0; i < 5'000; ++i) redis.command({"SET", "rl:" + std::to_string(i), "1"});
  const Outcome outcome = redis.rlctl_interrupted({"inspect", "rl:*", "--most", "5000"}, [&] {
    if (redis.calls("scan") == 0) return false;
    redis.command({"CLIENT", "PAUSE", "500", "ALL"});
    return true;
  });
  CHECK(outcome.exit == 130);
  CHECK(contains(outcome.err, "interrupted: not all keys were read"));
}

TEST_CASE("an unreadable key is a row, and the answer is partial") {
  TestRedis redis;
  redis.command({"SET", "api:mine", "1", "PX", "60000"});
  redis.command({"SET", "other", "1", "PX", "60000"});
  redis.command({"ACL", "SETUSER", "default", "resetkeys", "~api:*", "-@all", "+@read",
                 "-@dangerous", "+ping"});
  const Outcome mine = redis.rlctl({"inspect", "api:mine"});
  CHECK(mine.exit == 0);
  CHECK(contains(mine.out, "number 1"));
  CHECK(contains(mine.out, "times by rlctl's clock"));
  const Outcome other = redis.rlctl({"inspect", "other"});
  CHECK(other.exit == 4);
  CHECK(contains(other.out, "can't be read: NOPERM"));
  const Outcome list = redis.rlctl({"list"});
  CHECK(list.exit == 4);
  CHECK(contains(list.out, "api:mine"));
  CHECK(contains(list.out, "NOPERM"));
}

namespace {

// As Spring Cloud Gateway writes a bucket of 40 at 10 per second that was asked 2 s ago.
void write_bucket(TestRedis& redis, const std::string& client, int tokens) {
  const auto now_s = std::stoll(redis.command({"TIME"}).elements[0].text);
  const std::string name = "request_rate_limiter.{" + client + "}.";
  redis.command({"SET", name + "tokens", std::to_string(tokens), "EX", "60"});
  redis.command({"SET", name + "timestamp", std::to_string(now_s - 2), "EX", "60"});
}

}  // namespace

TEST_CASE("the keys of another library are one limiter, in its words") {
  TestRedis redis;
  write_bucket(redis, "203.0.113.7", 0);
  write_bucket(redis, "203.0.113.8", 40);
  const std::string tokens = "request_rate_limiter.{203.0.113.7}.tokens";
  const std::string timestamp = "request_rate_limiter.{203.0.113.7}.timestamp";
  const Arguments bucket{"--policy", "bucket 40 + 10/1h"};
  for (const std::string& text : {std::string("203.0.113.7"), tokens, timestamp}) {
    CAPTURE(text);
    const Outcome outcome = redis.rlctl({"inspect", text, bucket[0], bucket[1]});
    CHECK(outcome.exit == 1);
    CHECK(contains(outcome.out,
                   "spring-cloud-gateway, client 203.0.113.7: 0 of 40 tokens left, "
                   "refill 10/1h"));
    CHECK(contains(outcome.out, "the time of its last request"));
    const json library = inspected(redis, {text})[0]["library"];
    CHECK(library["left"] == 0);
    CHECK(library["limit"] == nullptr);
  }
  const Outcome list = redis.rlctl({"list", bucket[0], bucket[1]});
  INFO(list.out);
  CHECK(contains(list.out, "40/40"));
  CHECK(contains(list.out, " 0/40"));
  CHECK_FALSE(contains(list.out, "timestamp"));
  const Outcome watch = redis.rlctl({"watch", "--once", bucket[0], bucket[1]});
  INFO(watch.out);
  CHECK(contains(watch.out, "2 limiters"));
  CHECK(contains(watch.out, "40/40"));
  CHECK(redis.rlctl({"reset", timestamp, "--yes"}).exit == 0);
  CHECK(redis.command({"EXISTS", tokens, timestamp}).integer == 0);
  CHECK(redis.command({"DBSIZE"}).integer == 2);
}

TEST_CASE("a client behind a route is found, and said to be one only perhaps") {
  TestRedis redis;
  write_bucket(redis, "api.alice", 13);
  const Outcome alice = redis.rlctl({"inspect", "alice"});
  INFO(alice.out << alice.err);
  CHECK(
      contains(alice.out,
               "spring-cloud-gateway, client api.alice, or a route and a client: 13 tokens left"));
  CHECK(
      contains(alice.err,
               "2 keys are of 'alice' only if their name has a route and a client in one, such as "
               "'request_rate_limiter.{api.alice}.timestamp'\n"));
  const json library = inspected(redis, {"alice"})[0]["library"];
  CHECK(library["client"] == "api.alice");
  CHECK(library["client_may_be"] == "a route and a client");
  CHECK(inspected(redis, {"lice"}).empty());
  const Outcome reset = redis.rlctl({"reset", "alice", "--yes"});
  CHECK(contains(reset.err, "2 keys have it only in a longer name"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.rlctl({"reset", "api.alice", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("the keys of a Redisson limiter are one row, whether its name has braces or not") {
  TestRedis redis;
  const std::string now_s = redis.command({"TIME"}).elements[0].text;
  const auto write = [&](const std::string& name, const std::string& others) {
    redis.command({"HSET", name, "rate", "10", "interval", "3600000", "type", "0"});
    redis.command({"SET", others + ":value", "9"});
    redis.command({"ZADD", others + ":permits", now_s + "000", "x"});
  };
  write("plain", "{plain}");
  write("rl:{alice}", "rl:{alice}");
  for (const std::string& name : {std::string("plain"), std::string("rl:{alice}")}) {
    CAPTURE(name);
    const Outcome outcome = redis.rlctl({"inspect", name});
    CHECK(contains(outcome.out, "redisson, client " + name + ": 9 of 10 permits left"));
  }
  const Outcome list = redis.rlctl({"list", "--json"});
  const json limiters = json::parse(list.out)["limiters"];
  INFO(list.out);
  REQUIRE(limiters.size() == 2);
  for (const json& limiter : limiters) CHECK(limiter["keys"] == 3);
  CHECK(redis.rlctl({"reset", "rl:{alice}", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 3);
}

TEST_CASE("a bucket of Bucket4j with eight bandwidths is read to its end") {
  const auto number = [](std::int64_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
  };
  constexpr int kBandwidths = 8;
  std::string bucket = number(1, 4) + number(1, 4) + number(kBandwidths, 4);
  for (int i = 0; i < kBandwidths; ++i)
    bucket += number(1, 4) + number(40 + i, 8) + number(40 + i, 8) + number(1'000'000'000, 8) +
              number(10, 8) + std::string(11, '\0');
  bucket += number(3, 4) + number(1, 4) + number(3 * kBandwidths, 4);
  for (int i = 0; i < kBandwidths; ++i)  // asked long ago: all are full
    bucket += number(1'700'000'000'000'000'000, 8) + number(i, 8) + number(0, 8);
  bucket += number(1, 4) + number(30, 8);
  REQUIRE(bucket.size() > 600);
  TestRedis redis;
  redis.command({"SET", "b:u1", bucket});
  CHECK(contains(redis.rlctl({"inspect", "b:u1"}).out, "bucket4j, client b:u1: 40 tokens left"));
  CHECK(redis.rlctl({"reset", "b:u1", "--yes"}).exit == 0);
  CHECK(redis.number({"EXISTS", "b:u1"}) == 0);
}

TEST_CASE("a user's layouts add to the known ones, and --as names the one that is meant") {
  TestRedis redis;
  redis.command({"SET", "rlflx:u", "7", "EX", "60"});
  redis.command({"SET", "shop:u", "7", "EX", "60"});
  const Folder folder;
  const std::string file =
      folder.write("mine.layout",
                   "name = mine\nkey = rlflx:<client>\nstate = string: count\n"
                   "used = count * 2\nname = shop\nkey = shop:<client>\n"
                   "state = string: count; orders\nlimit = 10\nused = count\n");
  const Outcome both = redis.rlctl({"inspect", "rlflx:u", "--layouts", file});
  CHECK(contains(both.out, "rate-limiter-flexible or mine, client u\n"));
  const Outcome one = redis.rlctl({"inspect", "rlflx:u", "--layouts", file, "--as", "mine"});
  CHECK(contains(one.out, "mine, client u: 14 used"));
  const Outcome shop = redis.rlctl({"inspect", "shop:u", "--layouts", file});
  CHECK(contains(shop.out, "shop, client u: 7 of 10 used"));
  const Outcome told = redis.rlctl({"inspect", "shop:u", "--as", "rate-limit-redis"});
  CHECK(contains(told.out, "rate-limit-redis, client shop:u: 7 used"));
  const Outcome wrong = redis.rlctl({"inspect", "shop:u", "--as", "rate-limit-reids"});
  CHECK(wrong.exit == 2);
  CHECK(contains(wrong.err, "rate-limit-redis"));
  const std::string bad = folder.write("bad.layout", "name = bad\nkey = x\n");
  CHECK(contains(redis.rlctl({"inspect", "k", "--layouts", bad}).err, "bad.layout:2: "));
  const Outcome other = redis.rlctl({"inspect", "shop:u", "--as", "bucket4j"});
  CHECK(contains(other.err, "not as bucket4j stores it: 'shop:u'\n"));
  const Outcome others = redis.rlctl({"inspect", "*:u", "--as", "bucket4j"});
  CHECK(contains(others.err, "not as bucket4j stores it: 'rlflx:u' and 1 more\n"));
  CHECK(told.err.empty());
}

TEST_CASE("a number that no library's keys explain is no fact, and a config is not stuck") {
  TestRedis redis;
  redis.command({"SET", "rl:u", "7"});
  redis.command({"HSET", "r", "rate", "10", "interval", "60000", "type", "0"});
  const Outcome counter = redis.rlctl({"inspect", "rl:u"});
  CHECK(contains(counter.out, "if it counts requests, as rate-limit-redis or "));
  const Outcome config = redis.rlctl({"inspect", "r"});
  CHECK(contains(config.out, "redisson, client r: 10 of 10 permits left, limit 10/1m"));
  CHECK_FALSE(contains(config.out, "STUCK"));
}

TEST_CASE("inspect counts all limiters of a pattern, and shows the most urgent ones") {
  TestRedis redis;
  for (int i = 100; i < 138; ++i)
    redis.command({"SET", "rl:" + std::to_string(i), "3", "EX", "60"});
  redis.command({"SET", "rl:137:blocked", "1", "EX", "60"});
  const Outcome cut = redis.rlctl({"inspect", "rl:*"});
  INFO(cut.out << cut.err);
  CHECK(cut.exit == 1);
  CHECK(cut.out.starts_with("38 limiters, 1 blocked\n"));
  CHECK(contains(cut.out, "rl:137"));
  CHECK(contains(cut.err, "20 of 38 limiters shown, most urgent first; --most 38 shows more\n"));
  const Outcome all = redis.rlctl({"inspect", "rl:*", "--most", "38"});
  CHECK_FALSE(contains(all.err, "shown"));
  CHECK(contains(all.out, "rl:100 "));
  redis.command({"DEL", "rl:137:blocked"});
  CHECK(redis.rlctl({"inspect", "rl:*"}).exit == 0);  // all were read
  const json body = json::parse(redis.rlctl({"inspect", "rl:*", "--json", "--most", "5"}).out);
  CHECK(body["limiters"].size() == 5);
  CHECK(body["total"] == 38);
  CHECK(body["more"] == true);
}

TEST_CASE("as many limiters as --most says are shown, and other keys take no place of theirs") {
  TestRedis redis;
  for (int i = 0; i < 6; ++i) redis.command({"HSET", "a:" + std::to_string(i), "name", "x"});
  for (int i = 0; i < 9; ++i) redis.command({"SET", "rl:" + std::to_string(i), "3", "EX", "60"});
  const Outcome cut = redis.rlctl({"inspect", "*", "--most", "7"});
  CHECK(contains(cut.err, "7 of 9 limiters shown, most urgent first; --most 9 shows more\n"));
  const Outcome all = redis.rlctl({"inspect", "*", "--most", "9"});
  INFO(all.out << all.err);
  CHECK_FALSE(contains(all.err, "limiters shown"));
  for (int i = 0; i < 9; ++i) CHECK(contains(all.out, "rl:" + std::to_string(i)));
}

TEST_CASE("inspect says which part of a large keyspace it has read") {
  TestRedis redis;
  redis.command({"EVAL", "for i = 1, 1100 do redis.call('SET', 'rl:' .. i, 1, 'EX', 60) end", "0"});
  const Outcome outcome = redis.rlctl({"inspect", "rl:*"});
  INFO(outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.err,
                 "partial: only the first 1,000 of 1,100 names were read; --most 1100 reads all"));
}
