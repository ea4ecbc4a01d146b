#include "inspect/client_name.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("a key speaks of a client that stands in it as a whole name") {
  for (const char* key :
       {"203.0.113.7", "rl:203.0.113.7", "rl:203.0.113.7:minute", "rl_203.0.113.7_60",
        "request_rate_limiter.{203.0.113.7}.tokens", "limiter.203.0.113.7.tokens",
        "LIMITS:LIMITER/203.0.113.7/login/20/1/minute", "rl:::ffff:203.0.113.7",
        "rl:203.0.113.70:203.0.113.7"}) {
    CAPTURE(key);
    CHECK(mention_of(key, "203.0.113.7") == Mention::whole);
  }
  CHECK(mention_of("throttle_user_42", "42") == Mention::whole);
}

TEST_CASE("a key of another client is not mistaken for one of a client with a shorter name") {
  for (const char* key :
       {"rl:203.0.113.70", "rl:1203.0.113.7", "rl:203.0.113.7.5", "7.203.0.113.7"})
    CHECK(mention_of(key, "203.0.113.7") == Mention::in_longer_name);
  for (const char* key : {"rl:alice2", "rl:alice-smith", "rl:alice@example.com", "rl:mary.alice"})
    CHECK(mention_of(key, "alice") == Mention::in_longer_name);
  CHECK(mention_of("rl:alic\xc3\xa9", "alic") == Mention::in_longer_name);
  CHECK(mention_of("rl:bob", "alice") == Mention::none);
  CHECK(mention_of("rl:bob", "") == Mention::none);
}

TEST_CASE("an IPv6 address is searched in every form in which limiters write it") {
  CHECK(forms_of_client("2001:DB8:0::1") ==
        std::vector<std::string>{"2001:DB8:0::1", "2001:db8::1", "2001_db8_0_0_0_0_0_1"});
  CHECK(forms_of_client("203.0.113.7") == std::vector<std::string>{"203.0.113.7"});
  CHECK(forms_of_client("a:b") == std::vector<std::string>{"a:b", "a%3Ab"});
}
