#include "policy/per.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("a prefix gives the network of an address") {
  CHECK(key_per("ip/64", "2001:db8::1:2:3:4") == "2001:db8::/64");
  CHECK(key_per("ip/48", "2001:db8:1:ffff::9") == "2001:db8:1::/48");
  CHECK(key_per("ip/24", "203.0.113.7") == "203.0.113.0/24");
  CHECK(key_per("ip/23", "203.0.113.7") == "203.0.112.0/23");
}

TEST_CASE("an address that is shorter than the prefix, and other values, are keys themselves") {
  CHECK(key_per("ip/64", "203.0.113.7") == "203.0.113.7");
  CHECK(key_per("ip/64", "unix:") == "unix:");
  CHECK(key_per("user", "2001:db8::1") == "2001:db8::1");
  CHECK(key_per("ip/128", "2001:0DB8::0001") == "2001:db8::1");
}

TEST_CASE("the names in rules, each once") {
  const Rules rules{{.limit = 1, .per = "ip/64"}, {.limit = 2, .per = "ip"}, {.per = "user"}, {}};
  CHECK(names_in(rules) == std::vector<std::string>{"ip", "user"});
}
