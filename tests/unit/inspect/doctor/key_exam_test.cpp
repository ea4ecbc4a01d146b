#include "inspect/doctor/key_exam.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/units.h"
#include "inspect/doctor/key_family.h"
#include "limiter/registry.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kNowUs = 1'795'214'760'123'456;

KeyState text(const std::string& key, const std::string& value, std::int64_t ttl_ms) {
  KeyState state;
  state.key = key;
  state.type_name = "string";
  state.type = StateType::string;
  state.value = value;
  state.ttl_ms = ttl_ms;
  return state;
}

KeyState log(const std::string& key, std::int64_t ttl_ms) {
  KeyState state;
  state.key = key;
  state.type_name = "list";
  state.type = StateType::list;
  state.time_unit = "s";
  state.ttl_ms = ttl_ms;
  return state;
}

std::string told(const KeyExam& exam, std::vector<std::string>& names) {
  HealthFindings findings;
  exam.examine(findings);
  std::string seen;
  for (const HealthFinding& finding : findings) {
    names.emplace_back(finding.row().name);
    seen += finding.seen + '\n';
  }
  return seen;
}

using Names = std::vector<std::string>;

struct Examined {
  std::vector<std::string> names;
  std::string seen;
};

Examined examination(const std::vector<KeyState>& states, const KeyExamPlan& plan = {}) {
  KeyReader reader(Registry(), {});
  KeyExam exam(plan, reader.layouts());
  for (const KeyState& state : states) exam.add(state, reader.read(state, {{}, kNowUs}), kNowUs);
  Examined examined;
  examined.seen = told(exam, examined.names);
  return examined;
}

std::vector<std::string> examined(const std::vector<KeyState>& states,
                                  const KeyExamPlan& plan = {}) {
  return examination(states, plan).names;
}

std::string seen(const std::vector<KeyState>& states) { return examination(states).seen; }

}  // namespace

TEST_CASE("names that differ in numbers or within braces are one family") {
  CHECK(family_of("rl:10.0.0.1:minute") == "rl:#.#.#.#:minute");
  CHECK(family_of("rl:{ann}:minute") == "rl:{#}:minute");
  CHECK(family_of("rl:{open") == "rl:{open");
  CHECK(family_of("rl:5f4dcc3b5aa765d61d8327deb882cf99:minute") == "rl:#:minute");
  CHECK(family_of("rl:c56a4180-65aa-42ec-a945-5fd21dec0538") == "rl:#");
  CHECK(family_of("rl:5f4dcc3b-5aa765d61d8327_eb882cf99") == "rl:#");
  CHECK(family_of("user_7_last_1795735200") == "user_#_last_#");
  CHECK(family_of("rl:ann@example.com:minute") == "rl:#:minute");
  CHECK(siblings_of("rl:ann") == "rl:*");
  CHECK(siblings_of("rl:ann:minute") == "rl:*:minute");
  CHECK(siblings_of("views").empty());
}

TEST_CASE("a number without an expiry counts requests if its siblings expire, or perhaps") {
  const KeyState stuck = text("rl:2", "5", kNoExpiry);
  CHECK(examined({text("rl:1", "5", 60'000), stuck}) == Names{"no-expiry"});
  CHECK(examined({stuck}) == Names{"perhaps-no-expiry"});
  CHECK(examined({stuck, text("views", "7", kNoExpiry)}) == Names{"perhaps-no-expiry"});
  CHECK(examined({stuck}, {.all_are_limits = true}) == Names{"no-expiry"});
  CHECK(examined({log("log:1", kNoExpiry), log("log:2", 1'000)}) == Names{"kept-for-ever"});
}

TEST_CASE("a number whose name ends in a time is in doubt, even if others like it expire") {
  const std::vector<KeyState> states = {text("user_7_last_1795134760", "3", kNoExpiry),
                                        text("user_8_last_1795134760", "3", 600'000),
                                        text("report_x_1795134760", "3", 600'000)};
  CHECK(examined(states) == Names{"perhaps-no-expiry"});
  CHECK(examined(states, {.all_are_limits = true}) == Names{"no-expiry"});
}

TEST_CASE("an expiry is long beside the window, if that is known") {
  const KeyState state = text("rl:1", "5", 3'600'000);
  KeyExamPlan plan;
  plan.policy = policy_of({Rule{.limit = 20, .window_us = 60 * kSecondUs}});
  CHECK(examined({state}).empty());
  CHECK(examined({state}, plan) == Names{"long-expiry"});
}

TEST_CASE("the refill time of a bucket is no window of other keys") {
  KeyExamPlan plan;
  plan.policy = policy_of(parse_rules("bucket 20 + 1/1s", "--policy"));
  CHECK(examined({text("rl:1", "5", 3'600'000)}, plan).empty());
}

TEST_CASE("what is left is not below zero, nor above the limit") {
  CHECK(examined({text("b:1.tokens", "-3", 1'000)}) == Names{"impossible-balance"});
  CHECK(examined({text("b:1.tokens", "40", 1'000)}).empty());
  KeyExamPlan plan;
  plan.policy = policy_of({Rule{.limit = 20, .window_us = kSecondUs}});
  CHECK(examined({text("b:1.tokens", "40", 1'000)}, plan) == Names{"impossible-balance"});
}

TEST_CASE("what is left in a shipped script's unit is not compared with the limit") {
  KeyState bucket = text("k:u1", "", 60'000);
  bucket.type_name = "hash";
  bucket.type = StateType::hash;
  bucket.fields = {{"left", "240000000"}, {"at_us", std::to_string(kNowUs)}};
  KeyExamPlan plan;
  plan.policy = policy_of({Rule{.limit = 5, .window_us = 60 * kSecondUs}});
  CHECK(examined({bucket}, plan).empty());
  CHECK(examined({text("api:tokens", std::to_string(kNowUs), 60'000)}, plan).empty());  // gcra
  bucket.fields.front().second = "-1";
  CHECK(examined({bucket}, plan) == Names{"impossible-balance"});
}

TEST_CASE("one name with two types has two writers") {
  CHECK(examined({text("LIMITS:1", "5", 1'000), log("LIMITS:2", 1'000)}) == Names{"mixed-types"});
  CHECK(examined({text("a:1", "5", 1'000), log("b:2", 1'000)}).empty());
}

TEST_CASE("a flag without an end, and on a cluster a flag in another slot") {
  CHECK(examined({text("rl:1:blocked", "1", kNoExpiry)}) == Names{"endless-block"});
  const KeyExamPlan cluster{.on_cluster = true};
  const KeyState flag = text("rl:1:blocked", "1", 1'000), key = text("rl:1", "5", 1'000);
  CHECK(examined({flag}, cluster).empty());  // the key that it may be beside is not there
  CHECK(examined({flag, key}).empty());
  CHECK(examined({flag, key}, cluster) == Names{"crossed-slots"});
  CHECK(
      examined({text("rl:{1}:blocked", "1", 1'000), text("rl:{1}", "5", 1'000)}, cluster).empty());
  CHECK(examination({key, flag}, cluster).seen ==
        "1 key like rl:#:blocked is in another slot than the key beside which it is used, such as "
        "'rl:1:blocked' beside 'rl:1'\n");
}

TEST_CASE("a key of a library alone is in no other slot than the rest of its limiter") {
  for (const char* key : {"@upstash/ratelimit:u1:29920246", "rack::attack:29920246:logins:u1",
                          "ratelimit:r:s:u1:1795214760000:minute", "rl:u1:minute",
                          "LIMITS:LIMITER/u1/10/1/minute", "shop_database_shop_cache:u1:timer"}) {
    CAPTURE(key);
    CHECK(examined({text(key, "5", 30'000)}, {.on_cluster = true}).empty());
  }
  CHECK(examined({text("shop_database_shop_cache:u1", "5", 30'000),
                  text("shop_database_shop_cache:u1:timer", "1795214790", 30'000)},
                 {.on_cluster = true})
            .empty());  // no command of Laravel uses both
}

TEST_CASE("a key without the expiry that its library always sets is told with the library") {
  CHECK(examined({text("fastify-rate-limit-u1", "5", kNoExpiry)}) == Names{"no-expiry"});
  CHECK(seen({text("fastify-rate-limit-u1", "5", kNoExpiry)}) ==
        "1 key of fastify-rate-limit like fastify-rate-limit-<client> never expires, such as "
        "'fastify-rate-limit-u1'\n");
  // A later window has another name, so it denies nobody.
  CHECK(examined({text("ratelimit:r:s:u1:1795214760000:minute", "5", kNoExpiry)}) ==
        Names{"kept-for-ever"});
  CHECK(seen({text("ratelimit:r:s:u1:1795214760000:minute", "5", kNoExpiry)}) ==
        "1 key of kong like ratelimit:r:s:<client>:<start_ms>:minute never expires, such as "
        "'ratelimit:r:s:u1:1795214760000:minute'\n");
  // These may be meant to last, unless others expire.
  CHECK(examined({text("rlflx:u1", "5", kNoExpiry)}) == Names{"perhaps-no-expiry"});
  CHECK(examined({text("rlflx:ann", "5", kNoExpiry), text("rlflx:bob", "5", 9'000)}) ==
        Names{"no-expiry"});
  CHECK(examined({log("{r}:permits", kNoExpiry)}) == Names{});
}

TEST_CASE("an expiry is long beside the window that the library's key tells") {
  CHECK(examined({text("ratelimit:r:s:u1:1795214760000:minute", "5", 700'000)}) ==
        Names{"long-expiry"});
  CHECK(examined({text("LIMITS:LIMITER/u1/10/1/minute", "5", 60'000)}).empty());
  CHECK(seen({text("LIMITS:LIMITER/u1/10/1/minute", "5", 700'000)}) ==
        "1 key of limits-fixed-window like LIMITS:LIMITER/<client>/10/1/minute expires after "
        "more than ten windows of 1m, such as 'LIMITS:LIMITER/u1/10/1/minute'\n");
}

TEST_CASE("a key that differs from its siblings is found, whatever the clients are called") {
  const KeyState ann = text("api:ann", "5", kNoExpiry), bob = text("api:bob", "5", 60'000),
                 eve = text("api:eve", "5", 60'000);
  CHECK(examined({ann, bob, eve}) == Names{"unlike-siblings"});
  CHECK(seen({ann, bob, eve}) ==
        "1 key like api:* never expires (2 others do), such as 'api:ann'\n");
  CHECK(examined({ann, bob}) == Names{"perhaps-no-expiry"});  // one is no rule
  CHECK(examined({text("api:5f4dcc3b5aa765d61d8327deb882cf99", "5", kNoExpiry),
                  text("api:1a1dc91c907325c69271ddf0c944bc72", "5", 60'000)}) ==
        Names{"no-expiry"});
  KeyState list = log("api:max", 60'000);
  CHECK(examined({bob, eve, list}) == Names{"perhaps-mixed-types"});
  CHECK(examined({bob, list}).empty());
  CHECK(examined({text("rlflx:ann", "5", 9'000), log("rlflx:bob", 9'000)}) == Names{"mixed-types"});
  // An app's data under one prefix.
  KeyState config = log("api:config", kNoExpiry);
  config.type_name = "hash";
  config.type = StateType::hash;
  config.time_unit.clear();
  config.fields = {{"retries", "3"}};
  CHECK(examined({bob, eve, config}).empty());
}

TEST_CASE("two kinds of limiter under one name are told, if their values say so") {
  const KeyState fixed = text("@upstash/ratelimit:ann:29920246", "5", 30'000);
  const KeyState sliding = text("@upstash/ratelimit:bob:29920246", "5", 90'000);
  CHECK(examined({fixed, sliding}) == Names{"two-writers"});
  CHECK(seen({fixed, sliding}) ==
        "names like @upstash/ratelimit:<client>:<slot> are 1 key of upstash-fixed-window, such as "
        "'@upstash/ratelimit:ann:29920246'; 1 key of upstash-sliding-window, such as "
        "'@upstash/ratelimit:bob:29920246'\n");
  CHECK(examined({fixed}).empty());
}

TEST_CASE("a balance that its library can't leave is impossible") {
  KeyState bucket = text("@upstash/ratelimit:ann", "", 9'000);
  bucket.type_name = "hash";
  bucket.type = StateType::hash;
  bucket.fields = {{"refilledAt", "1795214760000"}, {"tokens", "-2"}};
  CHECK(examined({bucket}) == Names{"impossible-balance"});
  bucket.fields.front().second = "x";  // of something else
  CHECK(examined({bucket}).empty());
  bucket.fields.front().second = "1795214760000";
  KeyReader reader(Registry(), {});
  KeyState rate = bucket, left = text("{r}:value", "-3", kNoExpiry);
  rate.key = "r";
  rate.fields = {{"rate", "10"}, {"interval", "60000"}, {"type", "0"}};
  const KeyState of_one = text("{r}:value:8f3c", "-1", kNoExpiry);
  for (const std::vector<KeyState>& states : {std::vector{rate, left}, std::vector{rate, of_one}}) {
    KeyExam exam({}, reader.layouts());
    for (const KeyState& state : states)
      exam.add(state, reader.read_together(states, {{}, kNowUs}), kNowUs);
    Names names;
    CHECK(told(exam, names) == "1 key of redisson holds an impossible balance, such as 'r'\n");
    CHECK(names == Names{"impossible-balance"});
  }
}

TEST_CASE("the keys of one client are one, and the fullest counters are watched") {
  KeyReader reader(Registry(), {});
  KeyExam exam({}, reader.layouts());
  for (const KeyState& state :
       {text("rl:{1}:minute", "5", 1'000), text("rl:{1}:hour", "50", 1'000),
        text("rl:{1}:blocked", "1", 1'000), text("rl:{2}:minute", "7", 1'000),
        text("b:{3}.tokens", "90", 1'000), log("log:4", 1'000)})
    exam.add(state, reader.read(state, {}), kNowUs);
  CHECK(exam.keys() == 6);
  CHECK(exam.clients() == 4);
  std::vector<std::string> watched;
  for (const Counter& counter : exam.fullest().take()) watched.push_back(counter.key);
  CHECK(watched == Names{"log:4", "rl:{1}:minute", "rl:{2}:minute", "rl:{1}:hour"});
}
