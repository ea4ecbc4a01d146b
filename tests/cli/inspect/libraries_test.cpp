// Keys of the libraries that can't be run here, written as their sources write them: one client
// each. Those that can be run are in real/counts_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/support/library_keys.h"
#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

struct OneOf {
  std::string client;
  std::string layout;
  int used;
};

// Half of what each may count is used, or 5 of 10.
const OneOf kClients[] = {{"c01", "ulule-limiter", 5},
                          {"c02", "redis-rate", 5},
                          {"c03", "throttled", 5},
                          {"c04", "redis-cell", 5},
                          {"c05", "redisson", 5},
                          {"c06", "limits-sliding-window-counter", 5},
                          {"c07", "kong", 5},
                          {"c08", "envoy-ratelimit", 5},
                          {"c09", "aspnet-redis-fixed-window", 5},
                          {"c10", "aspnet-redis-sliding-window", 5},
                          {"c11", "aspnet-redis-token-bucket", 5},
                          {"c12", "aspnet-redis-concurrency", 5},
                          {"c13", "sidekiq-throttled", 5},
                          {"c14", "sidekiq-throttled-concurrency", 5},
                          {"c15", "spring-cloud-gateway", 5}};

Arguments with_clients(Arguments arguments, const Arguments& more) {
  for (const OneOf& one : kClients) arguments.push_back(one.client);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

bool fits(const json& library, const std::string& layout) {
  return library.is_object() && library["layouts"] == json::array({layout});
}

double used_of(const json& row) {
  const json& used = row[row["guess"] ? "used_if_it_counts" : "used"];
  REQUIRE(used.is_number());
  return used.get<double>();
}

// list and watch tell the same as inspect, and doctor finds nothing.
void check_tables(const TestRedis& redis) {
  for (const Arguments& verb : {Arguments{"list", "--json"}, {"watch", "--once", "--json"}}) {
    CAPTURE(verb.front());
    Arguments arguments = verb;
    arguments.insert(arguments.end(), {"--policy", "10/1d"});
    const json rows = json::parse(redis.rlctl(arguments).out)["limiters"];
    REQUIRE(rows.size() == std::size(kClients));
    for (const OneOf& one : kClients) {
      CAPTURE(one.layout);
      const auto row = std::ranges::find_if(
          rows, [&](const json& each) { return contains(each["limiter"], one.client); });
      REQUIRE(row != rows.end());
      CAPTURE(row->dump());
      CHECK((*row)["layouts"] == json::array({one.layout}));
      CHECK(std::ceil(used_of(*row)) == one.used);
    }
  }
}

}  // namespace

TEST_CASE("each library's client is found, counted, and freed by reset") {
  TestRedis redis;
  write_library_keys([&](auto words) { return redis.command(std::move(words)); },
                     std::stoll(redis.command({"TIME"}).elements[0].text));
  // In a window 10 fit, and a bucket of 10 gets back 10 a day.
  const Outcome outcome = redis.rlctl(with_clients({"inspect"}, {"--policy", "10/1d", "--json"}));
  INFO(outcome.err);
  const json limiters = json::parse(outcome.out)["limiters"];
  REQUIRE(limiters.size() == std::size(kClients));
  for (std::size_t i = 0; i < limiters.size(); ++i) {
    const json& library = limiters[i]["library"];
    CAPTURE(kClients[i].layout);
    CAPTURE(limiters[i].dump());
    CHECK(fits(library, kClients[i].layout));
    CHECK(std::ceil(used_of(library)) == kClients[i].used);
  }
  check_tables(redis);
  const Outcome reset = redis.rlctl(with_clients({"reset"}, {"--yes"}));
  INFO(reset.out << reset.err);
  CHECK(reset.exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
  const json after = json::parse(redis.rlctl(with_clients({"inspect"}, {"--json"})).out);
  CHECK(after["limiters"].empty());
}

TEST_CASE("what the keys of a library tell needs no policy, in any verb") {
  TestRedis redis;
  const auto now_s = std::stoll(redis.command({"TIME"}).elements[0].text);
  redis.command({"HSET", "r", "rate", "10", "interval", "86400000", "type", "0"});
  redis.command({"SET", "{r}:value", "5"});
  for (const char* entry : {"1", "2", "3", "4", "5"})
    redis.command({"ZADD", "{r}:permits", std::to_string(now_s) + "000", entry});
  for (int i = 0; i < 4; ++i) {
    const std::string age_s = i < 3 ? std::to_string(now_s) : std::to_string(now_s - 7'200);
    redis.command({"RPUSH", "LIMITS:LIMITER/u/20/1/hour", age_s + ".25"});
  }
  redis.command({"EXPIRE", "LIMITS:LIMITER/u/20/1/hour", "3600"});
  CHECK(contains(redis.rlctl({"inspect", "r"}).out, "5 of 10 permits left"));
  CHECK(contains(redis.rlctl({"inspect", "LIMITS:LIMITER/u/20/1/hour"}).out, "3 of 20 used"));
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once"}}) {
    const Outcome outcome = redis.rlctl(verb);
    INFO(outcome.out);
    CHECK(contains(outcome.out, " 5/10 "));
    CHECK(contains(outcome.out, " 3/20 "));
  }
}

TEST_CASE("a client that Rack::Attack has banned is blocked in every verb, and freed by reset") {
  for (const std::string filter : {"fail2ban", "allow2ban"}) {
    CAPTURE(filter);
    TestRedis redis;
    const std::string ban = "rack::attack:" + filter + ":ban:203.0.113.7";
    redis.command({"SET", ban, "1", "EX", "600"});
    const Outcome one = redis.rlctl({"inspect", "203.0.113.7"});
    INFO(one.out);
    CHECK(one.exit == 1);
    CHECK(contains(one.out, ban + ": rack-attack-ban, client 203.0.113.7: blocked for 10 m"));
    CHECK(redis.rlctl({"inspect", ban}).exit == 1);
    for (const Arguments& verb :
         {Arguments{"list", "--blocked", "--json"}, {"watch", "--once", "--json"}}) {
      const json rows = json::parse(redis.rlctl(verb).out)["limiters"];
      REQUIRE(rows.size() == 1);
      CHECK(rows[0]["state"] == "blocked");
      CHECK(rows[0]["client"] == "203.0.113.7");
      CHECK(rows[0]["layouts"] == json::array({"rack-attack-ban"}));
    }
    redis.command({"PERSIST", ban});
    CHECK(contains(redis.rlctl({"doctor"}).out,
                   "1 key of rack-attack-ban like rack::attack:" + filter +
                       ":ban:<client> blocks without an end, such as '" + ban + "'"));
    CHECK(redis.rlctl({"reset", "203.0.113.7", "--yes"}).exit == 0);
    CHECK(redis.number({"DBSIZE"}) == 0);
  }
}

TEST_CASE("list and inspect show the same of a number above every count") {
  TestRedis redis;
  redis.command({"SET", "request_rate_limiter.{big}.tokens", "99999999999999999999999"});
  CHECK(contains(redis.rlctl({"list"}).out, " 1e+23 left "));
  CHECK(contains(redis.rlctl({"inspect", "big"}).out, ": 1e+23 tokens left"));
}

TEST_CASE("a limiter that has used less than nothing is shown by list and watch") {
  TestRedis redis;
  redis.command({"SET", "rlflx:neg", "-3", "EX", "60"});
  for (const Arguments& verb : {Arguments{"list", "--json"}, {"watch", "--once", "--json"}}) {
    const json all = json::parse(redis.rlctl(verb).out);
    CHECK(all["total"] == 1);
    REQUIRE(all["limiters"].size() == 1);
    CHECK(all["limiters"][0]["used"] == -3);
  }
}

TEST_CASE("what list calls no limiter's data, doctor calls nothing critical") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"HSET", "@upstash/ratelimit:neg", "tokens", "-5", "refilledAt", "x"});
  CHECK(json::parse(redis.rlctl({"list", "--json"}).out)["other_keys"] == 1);
  const Outcome doctor = redis.rlctl({"doctor"});
  INFO(doctor.out);
  CHECK(doctor.exit == 0);
  CHECK_FALSE(contains(doctor.out, "critical"));
}

TEST_CASE("a period that limits does not have is no limit") {
  TestRedis redis;
  redis.command({"SET", "LIMITS:LIMITER/carl/5/1/fortnight", "9", "EX", "60"});
  const Outcome outcome = redis.rlctl({"inspect", "carl"});
  INFO(outcome.out);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "the number 9"));
  CHECK_FALSE(contains(outcome.out, "9 of 5"));
}
