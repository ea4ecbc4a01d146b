// Keys of the libraries that can't be run here, written as their sources write them: one client
// each. Those that can be run are in real/counts_test.cpp.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

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

class Written {
 public:
  explicit Written(TestRedis& redis) : redis_(redis) {
    const rlctl::Reply time = redis.command({"TIME"});
    now_s_ = std::stoll(time.elements[0].text);
    write_counters();
    write_times();
    write_logs();
    write_buckets();
  }

 private:
  std::string s(std::int64_t ahead = 0) const { return std::to_string(now_s_ + ahead); }
  std::string ms(std::int64_t ahead_s = 0) const { return s(ahead_s) + "000"; }

  void set(const std::string& key, const std::string& value) {
    redis_.command({"SET", key, value, "EX", "1800"});
  }

  void write_counters() {
    set("limiter:c01", "5");
    redis_.command({"SET", "LIMITS:{LIMITER/c06/10/1/hour}", "5", "EX", "7000"});
    // Years: one that ends during the test is rare. Envoy's have 365 days.
    constexpr std::int64_t kYearS = 365 * 86'400;
    const std::string envoys = std::to_string(now_s_ / kYearS * kYearS);
    redis_.command({"SET", "domain_user_c08_" + envoys, "5", "EX", std::to_string(kYearS)});
    const std::chrono::sys_seconds now{std::chrono::seconds(now_s_)};
    const auto year = std::chrono::year_month_day(floor<std::chrono::days>(now)).year();
    const std::chrono::sys_seconds from = std::chrono::sys_days(year / std::chrono::January / 1);
    set("ratelimit:route:service:c07:" + std::to_string(from.time_since_epoch().count()) +
            "000:year",
        "5");
    set("rl:fw:{c09}", "5");
    set("rl:fw:{c09}:exp", ms(1'800));
  }

  // More than 4 and less than 5 of 10 a day, as the time at which all is free again.
  void write_times() {
    constexpr std::int64_t kAheadS = 41'000;
    redis_.command({"SET", "rate:c02", std::to_string(now_s_ - 1'483'228'800 + kAheadS) + ".5",
                    "EX", std::to_string(kAheadS)});
    for (const char* key : {"throttled:c03", "c04"})
      redis_.command({"SET", key, s(kAheadS) + "500000000", "EX", std::to_string(kAheadS)});
  }

  void write_logs() {
    redis_.command({"HSET", "c05", "rate", "10", "interval", "86400000", "type", "0"});
    set("{c05}:value", "5");
    for (const char* entry : {"1", "2", "3", "4", "5"}) {
      redis_.command({"ZADD", "{c05}:permits", ms(), entry});
      redis_.command({"ZADD", "rl:sw:{c10}", ms(), entry});
      redis_.command({"ZADD", "rl:cc:{c12}", ms(), entry});
      redis_.command({"LPUSH", "throttled:Job:threshold:c13", s() + ".25"});
      redis_.command({"ZADD", "throttled:Job:concurrency.v2:c14", s(900) + ".25", entry});
    }
    redis_.command({"HSET", "rl:sw:{c10}:stats", "total_successful", "5"});
    redis_.command({"ZADD", "rl:cc:{c12}:q", ms(), "6"});
    redis_.command({"HSET", "rl:cc:{c12}:stats", "total_successful", "5", "total_failed", "1"});
    redis_.command({"HSET", "throttled:Job:concurrency.v2:c14.backlog_info", "size", "1",
                    "timestamp", s() + ".25"});
  }

  void write_buckets() {
    set("rl:tb:{c11}", "5");
    set("rl:tb:{c11}:ts", ms());
    set("request_rate_limiter.{c15}.tokens", "5");
    set("request_rate_limiter.{c15}.timestamp", s());
  }

  TestRedis& redis_;
  std::int64_t now_s_ = 0;
};

Arguments with_clients(Arguments arguments, const Arguments& more) {
  for (const OneOf& one : kClients) arguments.push_back(one.client);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

bool fits(const json& library, const std::string& layout) {
  return library.is_object() && library["layouts"] == json::array({layout});
}

}  // namespace

TEST_CASE("each library's client is found, counted, and freed by reset") {
  TestRedis redis;
  const Written written(redis);
  // Of a bucket 10 a day come back, of a window 10 fit.
  const Outcome outcome =
      redis.rlctl(with_clients({"inspect"}, {"--policy", "bucket 10 + 10/1d", "--json"}));
  INFO(outcome.err);
  const json limiters = json::parse(outcome.out)["limiters"];
  REQUIRE(limiters.size() == std::size(kClients));
  for (std::size_t i = 0; i < limiters.size(); ++i) {
    const json& library = limiters[i]["library"];
    CAPTURE(kClients[i].layout);
    CAPTURE(limiters[i].dump());
    CHECK(fits(library, kClients[i].layout));
    REQUIRE(library["used"].is_number());
    CHECK(std::ceil(library["used"].get<double>()) == kClients[i].used);
  }
  const Outcome reset = redis.rlctl(with_clients({"reset"}, {"--yes"}));
  INFO(reset.out << reset.err);
  CHECK(reset.exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
  const json after = json::parse(redis.rlctl(with_clients({"inspect"}, {"--json"})).out);
  CHECK(after["limiters"].empty());
}
