#include "policy/identity.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

TEST_CASE("an address in a key is written in full, with underscores") {
  CHECK(address_in_key("::1") == "0_0_0_0_0_0_0_1");
  CHECK(address_in_key("2001:0db8::ff") == "2001_db8_0_0_0_0_0_ff");
  CHECK(address_in_key("203.0.113.7") == "203.0.113.7");
}

TEST_CASE("clients without an address share one key") {
  CHECK(address_in_key("") == "unknown");
  CHECK(key_of("rl:<ip>:<user>:<n>", {"", "", 4}) == "rl:unknown:unknown:4");
}

TEST_CASE("a user name can't reach another user's keys") {
  CHECK(key_of("k:<user>", {"", "ann:blocked", 0}) == "k:ann%3Ablocked");
  CHECK(key_of("k:<user>", {"", "ann%3Ablocked", 0}) == "k:ann%253Ablocked");
  CHECK(key_of("k:<user>", {"", "ann@example.com", 0}) == "k:ann@example.com");
}

TEST_CASE("a header contains the identity unchanged") {
  CHECK(text_of("<ip>;<user>;<n>", {"::1", "u7", 7}) == "::1;u7;7");
  CHECK(text_of("[<ip>]", {}) == "[]");
  CHECK_THROWS_AS(text_of("<nobody>", {}), Error);
}

TEST_CASE("two templates meet if some clients have the same key by them") {
  struct Pair {
    const char *one, *other;
    bool meets;
  };
  for (const Pair& pair : {Pair{"api:<ip>", "api:<ip>", true},
                           {"api:<ip>", "api:<user>", true},
                           {"api:<user>", "api:global", true},
                           {"api:<ip>", "api:global", false},
                           {"api:<user>", "api:login:<user>", false},
                           {"<user>:<ip>", "<ip>:<user>", true},
                           {"<user>:login", "<user>:logout", false},
                           {"a<user>", "<user>b", true},
                           {"a<user>", "b<user>", false},
                           {"api:<n>", "api:<ip>", true},
                           {"api:<user>", "api:", false},
                           {"<user><ip>", "x", false},
                           {"<user><ip>", "x1", true},
                           {"", "", true}}) {
    CAPTURE(pair.one);
    CAPTURE(pair.other);
    CHECK(may_meet(pair.one, pair.other) == pair.meets);
    CHECK(may_meet(pair.other, pair.one) == pair.meets);
  }
}
