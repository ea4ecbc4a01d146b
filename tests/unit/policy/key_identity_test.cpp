#include <doctest/doctest.h>

#include "policy/identity.h"

using namespace rlctl;

namespace {

void check_back(const char* key_template, const Identity& identity) {
  const Identity found =
      identity_in_key(key_template, "rlctl:run:phase:" + key_of(key_template, identity));
  INFO(key_template);
  CHECK(found.ip == identity.ip);
  CHECK(found.user == identity.user);
}

}  // namespace

TEST_CASE("a key shows the identity that it was made for") {
  check_back("ratelimit:ip:<ip>", {"203.0.113.7", "", 0});
  check_back("ratelimit:ip:<ip>:minute", {"203.0.113.7", "", 0});
  check_back("rl:<user>:<ip>", {"10.0.0.1", "ann:blocked%", 0});
  check_back("k:<user>-x", {"", "ann", 0});
  check_back("rl:<ip>", {"", "", 0});
  CHECK(identity_in_key("rl:<ip>", "rl:0_0_0_0_0_0_0_1").ip == "0:0:0:0:0:0:0:1");
  CHECK(identity_in_key("rl:<n>", "rl:17").n == 17);
}

TEST_CASE("a key without a template is an address or a name") {
  CHECK(identity_in_key("rl:<user>", "203.0.113.7").ip == "203.0.113.7");
  CHECK(identity_in_key("rl:<user>", "2001:db8::1").ip == "2001:db8::1");
  CHECK(identity_in_key("rl:<ip>", "ann").user == "ann");
  CHECK(identity_in_key("rl:<ip>", "rl:nowhere").user == "rl:nowhere");
  CHECK(identity_in_key("rl:<n>:x", "rl:17:y").user == "rl:17:y");
  CHECK(identity_in_key("rl:<ip>", "").user == "");
}
