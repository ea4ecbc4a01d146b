#include "inspect/block_flag.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

TEST_CASE("a flag that another client changes meanwhile is left alone, and that is told") {
  Loop loop;
  const std::deque<Reply> flag{array({text("1"), text("0")}), text("string"), text("1"),
                               integer(5'000), integer(0)};
  WrittenRedis removed(loop, flag), set(loop, flag);
  CHECK_THROWS_WITH_AS(loop.run(clear_block(removed, "k")),
                       "'k' changed meanwhile: it was left alone", Error);
  CHECK(removed.asked.size() == flag.size());
  CHECK_THROWS_AS(loop.run(set_block(set, "k", 1'000'000)), Error);
}

TEST_CASE("a flag without an end is certain only if its value is that of a flag") {
  KeyState state;
  state.key = "user:42:blocked";
  state.type_name = "string";
  state.type = StateType::string;
  state.ttl_ms = kNoExpiry;
  const auto is_certain = [&](const char* value) {
    state.value = value;
    CHECK(flag_of(state, 0).is_for_ever());
    return flag_of(state, 0).is_certain();
  };
  for (const char* value : {"1", "true", "yes", "blocked", "1795214760"}) CHECK(is_certain(value));
  for (const char* value : {"0", "no", "false", "manual", "2"}) CHECK_FALSE(is_certain(value));
  state.beside = Beside::limiter;
  CHECK(is_certain("manual"));
  state.beside = Beside::other_data;
  CHECK_FALSE(is_certain("1"));
  state.ttl_ms = 5'000;
  CHECK(flag_of(state, 0).is_certain());
}
