#include "io/redis/deployment/hash_slot.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("slots are those of the cluster specification") {
  CHECK(slot_of("123456789") == 0x31c3);  // the check value of CRC16/XMODEM
  CHECK(slot_of("foo") == 12182);
  CHECK(slot_of("") == 0);
  CHECK(slot_of("{user1000}.following") == slot_of("{user1000}.followers"));
  CHECK(slot_of("{user1000}.following") == slot_of("user1000"));
}

TEST_CASE("a hash tag is what stands between the first braces, if there is something") {
  CHECK(hashed_part("rl:{10.0.0.1}:log") == "10.0.0.1");
  CHECK(hashed_part("foo{}{bar}") == "foo{}{bar}");
  CHECK(hashed_part("foo{{bar}}zap") == "{bar");
  CHECK(hashed_part("foo{bar}{zap}") == "bar");
  CHECK(hashed_part("foo{bar") == "foo{bar");
  CHECK(hashed_part("foo}bar{x}") == "x");
}
