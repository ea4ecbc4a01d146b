#include "inspect/layouts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "inspect/layout_reading.h"

using namespace rlctl;

TEST_CASE("a line of a layout can go on in the next") {
  const std::string text =
      "name = mine\nkey = mine:<client>\nstate = string: count\nused = 1 + \\\n  count\n";
  const std::vector<Layout> layouts = parse_layouts({"my file", text});
  REQUIRE(layouts.size() == 1);
  CHECK(layouts[0].used == "1 + count");
  CHECK_THROWS_WITH_AS(parse_layouts({"my file", text + "\nusde = 1"}),
                       "my file:7: 'usde' is not a line of a layout", Error);
}

TEST_CASE("a layout without a key, and the name of none, are refused") {
  CHECK_THROWS_WITH_AS(parse_layouts({"my file", "\nname = mine\n"}),
                       "my file:2: 'mine' has no key", Error);
  try {
    Layouts().use_only("--json");
    FAIL("taken for a layout");
  } catch (const Error& error) {
    CHECK(error.hint() == "see: rlctl algos --known-keys");
  }
}

TEST_CASE("the keys of one limiter share a name, and each names the others") {
  const Layouts layouts;
  const std::string tokens = "request_rate_limiter.{u}.tokens";
  const std::string timestamp = "request_rate_limiter.{u}.timestamp";
  CHECK(layouts.limiter_of(timestamp) == tokens);
  CHECK(layouts.limiter_of(tokens) == tokens);
  const std::vector<std::string> beside = layouts.companions_of(tokens);
  CHECK(std::ranges::find(beside, timestamp) != beside.end());
  CHECK(layouts.limiter_of("@upstash/ratelimit:u:100") == "@upstash/ratelimit:u:*");
  CHECK(layouts.limiter_of("@upstash/ratelimit:u:99") == "@upstash/ratelimit:u:*");
  CHECK(layouts.limiter_of("{r}:permits") == "r");
  CHECK(layouts.limiter_of("{r}:permits:5a3b") == "r");
  CHECK(layouts.limiter_of("rl:{r}:permits") == "rl:{r}");
  CHECK(layouts.limiter_of("rl:r:permits").empty());
  CHECK(layouts.limiter_of("rlflx:u").empty());
}

TEST_CASE("a client may be a part of what stands for it") {
  const Layouts layouts;
  const std::string key = "request_rate_limiter.{api.v1.ann}.tokens";
  CHECK(layouts.split_with(key, "ann") == "a route and a client");
  CHECK(layouts.split_with(key, "v1.ann") == "a route and a client");
  CHECK(layouts.split_with(key, "api.v1.ann").empty());
  CHECK(layouts.split_with(key, "nn").empty());
  CHECK(layouts.split_with("request_rate_limiter.{203.0.113.7}.tokens", "7").empty());
  CHECK(layouts.split_with("rl:api.ann", "ann").empty());
}

TEST_CASE("a name with a period, a number or a window that no library has is of none") {
  const Layouts layouts;
  const Policy policy = policy_of({Rule{.limit = 10, .window_us = 60'000'000}});
  const auto limit_in = [&](const std::string& name) {
    KeyState state;
    state.key = name;
    state.type_name = "string";
    state.type = StateType::string;
    state.value = "9";
    state.ttl_ms = 60'000;
    const auto reading = LayoutReader(layouts).read({&state, 1}, {policy, 1'795'214'760'500'000});
    return reading.fits() ? reading.limit : std::nullopt;
  };
  CHECK(limit_in("LIMITS:LIMITER/u/5/10/year") == 5);
  CHECK(limit_in("@upstash/ratelimit:u:29920246") == 10);
  for (const char* name :
       {"LIMITS:LIMITER/u/5/1/fortnight", "LIMITS:LIMITER/u/5/1/minutes",
        "LIMITS:LIMITER/u/5/0/day", "LIMITS:LIMITER/u/0/1/day", "LIMITS:LIMITER/u/05/1/day",
        "LIMITS:LIMITER/u/5/11/year", "LIMITS:LIMITER/u/5/999999999999/minute",
        "LIMITER/u/5/1/fortnight", "LIMITS:{LIMITER/u/5/1/fortnight}", "@upstash/ratelimit:u:0",
        "@upstash/ratelimit:u:1", "rack::attack:0:logins:u",
        "ratelimit:r-1:s-1:u:1795214760000:fortnight"}) {
    CAPTURE(name);
    CHECK_FALSE(limit_in(name));
  }
}

TEST_CASE("a layout says that its key is a block flag") {
  const std::string lines = "name = mine\nblocks = yes\nkey = ban:<client>\nstate = string: flag\n";
  CHECK(parse_layouts({"my file", lines})[0].blocks);
  CHECK_FALSE(parse_layouts({"my file", "name = mine\nkey = rl:<client>\nstate = string: count"})[0]
                  .blocks);
}
