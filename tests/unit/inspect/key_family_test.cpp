#include <doctest/doctest.h>

#include "inspect/limiter_keys.h"

using namespace rlctl;

TEST_CASE("keys for one client in several windows share a name and a flag") {
  for (const char* ending : {"", ":second", ":minute", ":hour", ":day", ":blocked"}) {
    const std::string key = std::string("ratelimit:ip:1.2.3.4") + ending;
    CAPTURE(key);
    CHECK(limiter_name(Layouts(), key) == "ratelimit:ip:1.2.3.4");
    CHECK(block_key_beside(key) == "ratelimit:ip:1.2.3.4:blocked");
  }
}

TEST_CASE("an ending alone is an ordinary name") {
  CHECK(limiter_name(Layouts(), ":minute") == ":minute");
  CHECK_FALSE(is_block_key(":blocked"));
  CHECK(is_block_key("a:blocked"));
}

TEST_CASE("the keys of a name are the key itself, its windows and its flag") {
  CHECK(keys_by_name("a") ==
        std::vector<std::string>{"a", "a:second", "a:minute", "a:hour", "a:day", "a:blocked"});
}
