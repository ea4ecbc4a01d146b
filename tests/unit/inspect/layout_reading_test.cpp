// What the keys of other libraries say: each state is written as its library's source writes it.
#include "inspect/layout_reading.h"

#include <doctest/doctest.h>

#include <set>

using namespace rlctl;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::int64_t kReadAtUs = 1'795'214'760'500'000;  // 0.5 s after a full minute
constexpr std::int64_t kMinuteUs = 60'000'000;
constexpr double kWindowLeftUs = kMinuteUs - 500'000;

KeyState of_type(const std::string& key, StateType type, std::int64_t ttl_ms) {
  KeyState state;
  state.key = key;
  state.type = type;
  state.type_name = name_of(type);
  state.ttl_ms = ttl_ms;
  return state;
}

KeyState text(const std::string& key, const std::string& value, std::int64_t ttl_ms = kNoExpiry) {
  KeyState state = of_type(key, StateType::string, ttl_ms);
  state.value = value;
  state.length = static_cast<std::int64_t>(value.size());
  return state;
}

// A value of bytes, written as `0000002a`.
KeyState bytes(const std::string& key, const std::string& digits) {
  std::string value;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    value += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text(key, value);
}

KeyState hash(const std::string& key, Fields fields, std::int64_t ttl_ms = kNoExpiry) {
  KeyState state = of_type(key, StateType::hash, ttl_ms);
  state.fields = std::move(fields);
  return state;
}

KeyState log(const std::string& key, StateType type, const std::string& unit, std::int64_t length,
             std::int64_t live) {
  KeyState state = of_type(key, type, 60'000);
  state.time_unit = unit;
  state.length = length;
  state.live = LiveEntries{live, kReadAtUs - 1};
  return state;
}

Policy policy(const std::string& rules) {
  return rules.empty() ? Policy() : policy_of(parse_rules(rules, "test"));
}

LayoutReading read(const std::vector<KeyState>& keys, const std::string& rules = "") {
  const Layouts layouts;
  return LayoutReader(layouts).read(keys, {policy(rules), kReadAtUs});
}

std::string us(std::int64_t at_us, std::int64_t per_us) { return std::to_string(at_us / per_us); }

struct Case {
  std::string name;
  std::vector<KeyState> keys;
  std::string rules;  // of the user
  std::string client;
  std::optional<double> used, left, limit, frees_us;
};

// 45 of 100 are used, and one is free.
Case gcra(const std::string& name, const KeyState& key, const std::string& client) {
  return {name, {key}, "bucket 100 + 10/1s", client, 45, 55, 100, 0};
}

// 7 are counted in a minute that has just begun.
Case in_this_minute(const std::string& name, const std::string& key, const std::string& client) {
  return {name, {text(key, "7", 60'000)}, "", client, 7, {}, {}, kWindowLeftUs};
}

// It counts nothing.
Case flag(const std::string& name, const std::string& key, const std::string& client) {
  return {name, {text(key, "1", 60'000)}, "", client, {}, {}, {}, {}};
}

KeyState go_bucket(const std::string& start_ns) {
  return hash("g:u", {{"s", start_ns}, {"t", "0"}, {"m", "10"}, {"k", "3"}});
}

const std::string kThisSlot = us(kReadAtUs, kMinuteUs);
const std::string kSlotBefore = us(kReadAtUs - kMinuteUs, kMinuteUs);
const std::string kNowS = us(kReadAtUs, 1'000'000);
const std::string kStartMs = us(kReadAtUs - kReadAtUs % kMinuteUs, 1'000);
const std::string kBucket = "bucket 40 + 10/1s";

// Written by Bucket4j 8.19 at kReadAtUs: 30 of 40 tokens taken, refill 10/1s; the same under
// version 7 of its configuration, refilled by steps of 10 per 1m; 9 taken of 100, refill 100/1h,
// and of 10 by steps of 10 per 1s, which has a name.
const std::string kGreedy =
    "0000000100000001000000010000000100000000000000280000000000000028000000003b9aca00000000000000"
    "000a008000000000000000000000000003000000010000000318e9e2502f23f500000000000000000a0000000000"
    "00000000000001000000000000001e";
const std::string kVersioned = "00000002" + kGreedy.substr(8) + "010000000000000007";
const std::string kBySteps =
    "00000001000000010000000100000001000000000000002800000000000000280000000df8475800000000000000"
    "000a018000000000000000000000000003000000010000000318e9e2502f23f500000000000000000a0000000000"
    "00000000000001000000000000001e";
const std::string kTwoBandwidths =
    "00000001000000010000000200000001000000000000006400000000000000640000034630b8a000000000000000"
    "0064008000000000000000000000000001000000000000000a000000000000000a000000003b9aca000000000000"
    "00000a0180000000000000000001000a706572207365636f6e6400000003000000010000000618e9e2502f23f500"
    "000000000000005b000000000000000018e9e2502f23f50000000000000000010000000000000000000000010000"
    "000000000009";

const std::vector<Case> kCases = {
    {"spring-cloud-gateway",
     {text("request_rate_limiter.{u}.tokens", "13", 7'500),
      text("request_rate_limiter.{u}.timestamp", std::to_string(kReadAtUs / 1'000'000 - 2), 7'500)},
     kBucket,
     "u",
     7,
     33,
     40,
     {}},
    {"spring-cloud-gateway",
     {text("request_rate_limiter.{api.u}.tokens", "13", 7'500),
      text("request_rate_limiter.{api.u}.timestamp", std::to_string(kReadAtUs / 1'000'000), 7'500)},
     kBucket,
     "api.u",
     27,
     13,
     40,
     {}},
    {"spring-cloud-gateway",
     {text("request_rate_limiter.{u}.tokens", "13", 7'500)},
     "",
     "u",
     {},
     13,
     {},
     {}},
    {"rate-limiter-flexible", {text("rlflx:u", "7", 33'000)}, "", "u", 7, {}, {}, 33e6},
    {"rate-limit-redis", {text("rl:u", "7", 33'000)}, "10/1m", "u", 7, 3, 10, 33e6},
    {"fastify-rate-limit",
     {text("fastify-rate-limit-GET/a-u", "7", 33'000)},
     "",
     "GET/a-u",
     7,
     {},
     {},
     33e6},
    {"ulule-limiter", {text("limiter:u", "7", 33'000)}, "", "u", 7, {}, {}, 33e6},
    {"bucket4j", {bytes("any:u", kGreedy)}, "", "any:u", 30, 10, 40, {}},
    {"bucket4j", {bytes("any:u", kVersioned)}, "", "any:u", 30, 10, 40, {}},
    {"bucket4j", {bytes("any:u", kBySteps)}, "", "any:u", 30, 10, 40, {}},
    {"bucket4j", {bytes("any:u", kTwoBandwidths)}, "", "any:u", {}, 1, {}, {}},
    // 311,985,965 s after 2017: 4.5 s of 0.1 s each are used. Here it expires in whole seconds from
    // its last request, 0.4 s ago: rounded up, or down (throttled); redis-cell takes milliseconds.
    gcra("redis-rate", text("rate:u", "311985965", 4'600), "u"),
    gcra("throttled", text("throttled:u", "1795214765000000000", 3'600), "u"),
    gcra("redis-cell", text("any:u", "1795214765000000000", 4'500), "any:u"),
    gcra("redis-gcra", text("any:u", "311985965", 4'600), "any:u"),
    {"go-redisstore", {go_bucket("1795214705000000000")}, "", "g:u", 7, 3, 10, {}},
    // An interval has ended since its last request.
    {"go-redisstore", {go_bucket("1795214695000000000")}, "10/1m", "g:u", 0, 10, 10, {}},
    {"redisson",
     {hash("r", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}, {"keepAliveTime", "0"}}),
      text("{r}:value", "2"), log("{r}:permits", StateType::zset, "ms", 8, 5)},
     "",
     "r",
     5,
     5,
     10,
     {}},
    {"redisson",
     {hash("r", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}})},
     "",
     "r",
     0,
     10,
     10,
     {}},
    // A name with braces gets no others.
    {"redisson",
     {text("rl:{r}:value", "2"), log("rl:{r}:permits", StateType::zset, "ms", 8, 5),
      hash("rl:{r}", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}})},
     "",
     "rl:{r}",
     5,
     5,
     10,
     {}},
    {"redisson",
     {text("{r}:value", "2"), log("{r}:permits", StateType::zset, "ms", 8, 5),
      hash("{r}", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}})},
     "",
     "r",
     5,
     5,
     10,
     {}},
    {"redisson",
     {hash("{r}", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}})},
     "",
     "r",
     {},
     {},
     10,
     {}},
    // Three entries for eight permits: how many come back is not known.
    {"redisson",
     {hash("r", {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}}), text("{r}:value", "2"),
      log("{r}:permits", StateType::zset, "ms", 3, 1)},
     "",
     "r",
     {},
     {},
     10,
     {}},
    {"limits-fixed-window",
     {text("LIMITS:LIMITER/u/a/100/2/minute", "7", 33'000)},
     "",
     "u/a",
     7,
     93,
     100,
     33e6},
    {"limits-fixed-window",
     {text("LIMITER/u/100/2/minute", "7", 33'000)},
     "",
     "u",
     7,
     93,
     100,
     33e6},
    {"limits-moving-window",
     {log("LIMITER/u/100/1/minute", StateType::list, "s", 9, 7)},
     "",
     "u",
     7,
     93,
     100,
     {}},
    {"limits-moving-window",
     {log("LIMITS:LIMITER/u/100/1/minute", StateType::list, "s", 9, 7)},
     "",
     "u",
     7,
     93,
     100,
     {}},
    {"limits-sliding-window-counter",
     {text("LIMITS:{LIMITER/u/100/1/minute}", "7", 80'000),
      text("LIMITS:{LIMITER/u/100/1/minute}/-1", "30", 20'000)},
     "",
     "u",
     17,
     83,
     100,
     {}},
    // Less than a window is left of its two: it counts as the window before.
    {"limits-sliding-window-counter",
     {text("LIMITS:{LIMITER/u/100/1/minute}", "30", 20'000)},
     "",
     "u",
     10,
     90,
     100,
     {}},
    {"upstash-fixed-window",
     {text("@upstash/ratelimit:u:" + kThisSlot, "7", 59'000)},
     "10/1m",
     "u",
     7,
     3,
     10,
     kWindowLeftUs},
    {"upstash-sliding-window",
     {text("@upstash/ratelimit:u:" + kSlotBefore, "60", 61'000),
      text("@upstash/ratelimit:u:" + kThisSlot, "7", 120'500)},
     "",
     "u",
     66,
     {},
     {},
     {}},
    {"upstash-sliding-window",
     {text("@upstash/ratelimit:u:" + kSlotBefore, "60", 61'000)},
     "",
     "u",
     59,
     {},
     {},
     {}},
    {"upstash-token-bucket",
     {hash("@upstash/ratelimit:u",
           {{"refilledAt", us(kReadAtUs - 25'000'000, 1'000)}, {"tokens", "-3"}})},
     "bucket 40 + 5/10s",
     "u",
     33,
     7,
     40,
     {}},
    in_this_minute("rack-attack", "rack::attack:" + kThisSlot + ":req/ip:203.0.113.7",
                   "203.0.113.7"),
    in_this_minute("rack-attack", "rack::attack:" + kThisSlot + ":requests by ip:2001:db8::1",
                   "2001:db8::1"),
    in_this_minute("rack-attack", "rack::attack:" + kThisSlot + ":fail2ban:count:203.0.113.7",
                   "203.0.113.7"),
    in_this_minute("rack-attack", "rack::attack:" + kThisSlot + ":allow2ban:count:2001:db8::1",
                   "2001:db8::1"),
    in_this_minute("rack-attack", "app:rack::attack:" + kThisSlot + ":req/ip:203.0.113.7",
                   "203.0.113.7"),
    in_this_minute("rack-attack", "shop:v2:rack::attack:" + kThisSlot + ":fail2ban:count:u", "u"),
    flag("rack-attack-ban", "app:rack::attack:fail2ban:ban:2001:db8::1", "2001:db8::1"),
    flag("rack-attack-ban", "rack::attack:fail2ban:ban:2001:db8::1", "2001:db8::1"),
    flag("rack-attack-ban", "rack::attack:allow2ban:ban:203.0.113.7", "203.0.113.7"),
    in_this_minute("kong", "ratelimit:r-1:s-1:u:" + kStartMs + ":minute", "u"),
    // A month that has lasted for 20 of its 30 days, and one that is over but still there.
    {"kong",
     {text("ratelimit:r-1:s-1:u:1793491200000:month", "7", 1'000'000'000)},
     "",
     "u",
     7,
     {},
     {},
     868'439.5e6},
    {"kong",
     {text("ratelimit:r-1:s-1:u:1790812800000:month", "7", 1'000'000)},
     "",
     "u",
     0,
     {},
     {},
     0},
    {"envoy-ratelimit",
     {text("domain_user_u_" + kNowS, "7", 60'000)},
     "",
     "domain_user_u",
     7,
     {},
     {},
     {}},
    // An hour that is over, hit in its last second.
    {"envoy-ratelimit",
     {text("domain_user_u_" + std::to_string(kReadAtUs / 3'600'000'000 * 3'600 - 3'600), "7",
           3'000'000 - kReadAtUs % 3'600'000'000 / 1'000)},
     "",
     "domain_user_u",
     0,
     {},
     {},
     0},
    // A week and a month of 30 days, hit just now.
    {"envoy-ratelimit",
     {text("domain_user_u_1795046400", "7", 604'800'000)},
     "",
     "domain_user_u",
     7,
     {},
     {},
     1'795'651'200e6 - kReadAtUs},
    {"envoy-ratelimit",
     {text("domain_user_u_1793664000", "7", 2'592'000'000)},
     "",
     "domain_user_u",
     7,
     {},
     {},
     1'796'256'000e6 - kReadAtUs},
    {"laravel",
     {text("laravel_database_laravel_cache_:5c78", "3", 60'000),
      text("laravel_database_laravel_cache_:5c78:timer", std::to_string(kReadAtUs / 1'000'000 + 20),
           60'000)},
     "",
     "5c78",
     3,
     {},
     {},
     19.5e6},
    {"laravel",
     {text("my_shop_database_my_shop_cache:5c78", "3", 60'000),
      text("my_shop_database_my_shop_cache:5c78:timer", std::to_string(kReadAtUs / 1'000'000 + 20),
           60'000)},
     "",
     "5c78",
     3,
     {},
     {},
     19.5e6},
    {"laravel-redis-throttle",
     {hash("my-shop-database-u",
           {{"start", kNowS}, {"end", std::to_string(kReadAtUs / 1'000'000 + 20)}, {"count", "7"}},
           39'500)},
     "10/20s",
     "u",
     7,
     3,
     10,
     19.5e6},
    // The window is over, and the key is still there.
    {"laravel-redis-throttle",
     {hash("my_shop_database_u", {{"start", "1795214720"}, {"end", "1795214750"}, {"count", "7"}},
           19'500)},
     "",
     "u",
     0,
     {},
     {},
     0},
    {"aspnet-redis-fixed-window",
     {text("rl:fw:{u}", "7", 60'000), text("rl:fw:{u}:exp", us(kReadAtUs + 20'000'000, 1'000))},
     "",
     "u",
     7,
     {},
     {},
     20e6},
    {"aspnet-redis-sliding-window",
     {log("rl:sw:{u}", StateType::zset, "ms", 9, 7)},
     "10/1m",
     "u",
     7,
     3,
     10,
     {}},
    {"aspnet-redis-token-bucket",
     {text("rl:tb:{u}", "7"), text("rl:tb:{u}:ts", us(kReadAtUs, 1'000))},
     "",
     "u",
     {},
     7,
     {},
     {}},
    {"aspnet-redis-token-bucket",
     {text("rl:tb:{u}", "7"), text("rl:tb:{u}:ts", us(kReadAtUs - 25'000'000, 1'000))},
     "bucket 40 + 5/10s",
     "u",
     23,
     17,
     40,
     {}},
    {"sidekiq-throttled",
     {log("throttled:My::Job:threshold", StateType::list, "s", 9, 7)},
     "10/1m",
     "My::Job",
     7,
     3,
     10,
     {}},
    // The limit has become 5: the oldest is out of the period, so one more may start.
    {"sidekiq-throttled",
     {log("throttled:My::Job:threshold", StateType::list, "s", 9, 7)},
     "5/1m",
     "My::Job",
     4,
     1,
     5,
     {}},
    {"sidekiq-throttled-concurrency",
     {log("throttled:My::Job:concurrency.v2", StateType::zset, "s", 9, 7),
      hash("throttled:My::Job:concurrency.v2.backlog_info",
           {{"size", "3.5"}, {"timestamp", "1795214760.25"}})},
     "10 in flight",
     "My::Job",
     7,
     3,
     10,
     {}},
    {"sidekiq-throttled-concurrency",
     {log("throttled:My::Job:concurrency.v2:u", StateType::zset, "s", 9, 7)},
     "",
     "u",
     7,
     {},
     {},
     {}},
    {"aspnet-redis-concurrency",
     {log("rl:cc:{u}", StateType::zset, "ms", 9, 7),
      log("rl:cc:{u}:q", StateType::zset, "ms", 3, 3),
      hash("rl:cc:{u}:stats", {{"total_successful", "12"}})},
     "10 in flight",
     "u",
     7,
     3,
     10,
     {}},
    {"sidekiq-throttled",
     {log("throttled:My::Job:threshold:u", StateType::list, "s", 9, 7)},
     "10/1m",
     "u",
     7,
     3,
     10,
     {}},
};

}  // namespace

TEST_CASE("the keys of each library say what it counts, for whom, and when it ends") {
  std::set<std::string> tested;
  for (const Case& one : kCases) {
    CAPTURE(one.name);
    CAPTURE(one.keys.front().key);
    const LayoutReading reading = read(one.keys, one.rules);
    REQUIRE(reading.names == std::vector<std::string>{one.name});
    CHECK(reading.client == one.client);
    CHECK(reading.used == one.used);
    CHECK(reading.left == one.left);
    CHECK(reading.limit == one.limit);
    CHECK(reading.frees_us.has_value() == one.frees_us.has_value());
    CHECK(reading.frees_us.value_or(0) == doctest::Approx(one.frees_us.value_or(0)).epsilon(1e-3));
    tested.insert(one.name);
  }
  const Layouts layouts;
  for (const auto& layout : layouts.all())
    CHECK_MESSAGE(tested.contains(layout->name), layout->name);
}

TEST_CASE("a Bucket4j bucket is refilled as Bucket4j does it") {
  const Layouts layouts;
  const auto left_later = [&](const std::string& bucket, std::int64_t later_us) {
    const KeyState state = bytes("any:u", bucket);
    return LayoutReader(layouts).read({&state, 1}, {{}, kReadAtUs + later_us}).left;
  };
  // What its getAvailableTokens() says at that time.
  CHECK(left_later(kGreedy, 1'250'000) == 22);
  CHECK(left_later(kGreedy, 1'299'000) == 22);
  CHECK(left_later(kGreedy, 1'300'000) == 23);
  CHECK(left_later(kGreedy, kMinuteUs) == 40);
  CHECK(left_later(kGreedy, -1'000) == 10);
  CHECK(left_later(kBySteps, 65'000'000) == 20);
  CHECK(left_later(kTwoBandwidths, 100'000) == 1);
  CHECK(left_later(kTwoBandwidths, 1'000'000) == 10);
}

TEST_CASE("a month and a year of Kong are as long as those of the calendar") {
  const auto days = [](const std::string& start_s, const std::string& period) {
    const LayoutReading reading =
        read({text("ratelimit:r:s:u:" + start_s + "000:" + period, "7", 60'000)});
    return reading.window_us.value_or(0) / 86'400e6;
  };
  CHECK(days("1801440000", "month") == 28);  // February 2027
  CHECK(days("1832976000", "month") == 29);  // 2028
  CHECK(days("3978892800", "month") == 29);  // 2096
  CHECK(days("1827619200", "month") == 31);  // December 2027
  CHECK(days("1798761600", "year") == 365);
  CHECK(days("1830297600", "year") == 366);
  CHECK(days("1801440000", "year") == 0);  // not the beginning of a year
  CHECK(days("1801440001", "month") == 0);
}

TEST_CASE("in a month of 31 days, a key of Kong may be gone on the last") {
  const KeyState state = text("ratelimit:r:s:u:1798761600000:month", "7", 3'600'000);
  const Layouts layouts;
  const auto frees_at = [&](std::int64_t now_s) {
    return LayoutReader(layouts).read({&state, 1}, {{}, now_s * 1'000'000}).frees_us;
  };
  CHECK(frees_at(1'801'350'000) == 3'600e6);  // the 30th
  CHECK(frees_at(1'801'438'200) == 1'800e6);  // half an hour before the end
}

TEST_CASE("what stands for a client may be more than the client, and that is said") {
  const LayoutReading split = read({text("request_rate_limiter.{api.v1.ann}.tokens", "13", 7'500)});
  CHECK(split.client == "api.v1.ann");
  CHECK(split.client_may_be == "a route and a client");
  CHECK(read({text("request_rate_limiter.{ann}.tokens", "13", 7'500)}).client_may_be.empty());
}

TEST_CASE("keys that hold something else are of no library") {
  CHECK_FALSE(read({bytes("any:u", kGreedy.substr(2))}).fits());
  CHECK_FALSE(read({bytes("any:u", kGreedy.substr(0, kGreedy.size() - 2))}).fits());
  CHECK_FALSE(read({bytes("any:u", "00")}).fits());
  CHECK_FALSE(read({text("rate:dollar", "1.08", 60'000)}).fits());
  CHECK_FALSE(read({text("rlflx:u", "hello")}).fits());
  CHECK_FALSE(read({hash("@upstash/ratelimit:u", {{"tokens", "x"}})}).fits());
  CHECK_FALSE(
      read({hash("my_database_job",
                 {{"start", "1795214700"}, {"end", "1795214760"}, {"count", "3"}}, 3'000'000)})
          .fits());
  CHECK_FALSE(read({hash("price", {{"rate", "1.08"}})}).fits());
  CHECK_FALSE(read({text("{r}:value", "2")}).fits());
  CHECK_FALSE(read({text("rl:{r}:value", "2")}).fits());
  CHECK_FALSE(read({text("laravel_database_laravel_cache_:visits", "3")}).fits());
}

TEST_CASE("where the kinds of one library can't be told apart, no number is claimed") {
  // A window that has just passed: the one kind has forgotten it, the other still counts it.
  const LayoutReading reading = read({text("@upstash/ratelimit:u:" + kSlotBefore, "60", 30'000)});
  CHECK(reading.names ==
        std::vector<std::string>{"upstash-fixed-window", "upstash-sliding-window"});
  CHECK(reading.client == "u");
  CHECK_FALSE(reading.used);
}
