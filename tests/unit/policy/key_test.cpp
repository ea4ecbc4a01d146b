#include "policy/key.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/error.h"

using namespace rlctl;

TEST_CASE("placeholders of a key are filled in, and nothing else is changed") {
  const std::vector<KeyFilling> fillings = {{"ip", "0_1"}, {"user", "<ip>"}, {"n", ""}};
  CHECK(fill_key_template("ratelimit:ip:<ip>:minute", fillings) == "ratelimit:ip:0_1:minute");
  CHECK(fill_key_template("<user><ip><n>", fillings) == "<ip>0_1");
  CHECK(fill_key_template("plain", fillings) == "plain");
  CHECK(fill_key_template("", fillings).empty());
  CHECK(fill_key_template("a < b > <> <i p> <<ip>> <", fillings) == "a < b > <> <i p> <0_1> <");
}

TEST_CASE("an unknown placeholder is refused with a list of the known ones") {
  const std::vector<KeyFilling> fillings = {{"ip", ""}, {"user", ""}};
  try {
    fill_key_template("k:<usr>", fillings);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(std::string(error.what()) == "the key's placeholder <usr> is not known here");
    CHECK(error.hint() == "it is one of <ip>, <user>");
  }
}

TEST_CASE("the block flag's key replaces a time unit at the end of the key") {
  CHECK(default_block_key("ratelimit:ip:1.2.3.4:minute") == "ratelimit:ip:1.2.3.4:blocked");
  CHECK(default_block_key("a:second") == "a:blocked");
  CHECK(default_block_key("a:hour") == "a:blocked");
  CHECK(default_block_key("a:day:day") == "a:day:blocked");
  CHECK(default_block_key("a:week") == "a:week:blocked");
  CHECK(default_block_key("a:minute:x") == "a:minute:x:blocked");
  CHECK(default_block_key(":day") == ":day:blocked");
  CHECK(default_block_key("Sunday") == "Sunday:blocked");
}
