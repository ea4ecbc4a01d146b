#include "base/glob.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("only text that may match several names is a pattern") {
  CHECK(is_pattern("rl:*"));
  CHECK(is_pattern("rl:?"));
  CHECK(is_pattern("rl:[1]"));
  CHECK_FALSE(is_pattern("rl:1"));
  CHECK_FALSE(is_pattern("rl:\\*"));
  CHECK(is_pattern("rl:\\\\*"));
  CHECK_FALSE(is_pattern("rl:]"));
}

TEST_CASE("the literal prefix ends at the first wildcard, and is unescaped") {
  CHECK(literal_prefix("rl:*") == "rl:");
  CHECK(literal_prefix("*").empty());
  CHECK(literal_prefix("[r]l").empty());
  CHECK(literal_prefix("?l").empty());
  CHECK(literal_prefix("a\\*b*c") == "a*b");
}

TEST_CASE("escaped bytes are not a pattern, and are their own prefix") {
  for (const std::string bytes : {"a*b", "a[b]", "a?", "a\\b", "plain"}) {
    CAPTURE(bytes);
    CHECK_FALSE(is_pattern(escape_pattern(bytes)));
    CHECK(literal_prefix(escape_pattern(bytes)) == bytes);
  }
}

TEST_CASE("a pattern has a literal if every match has its letter or digit") {
  for (const char* pattern : {"*a*", "*203.0.113.7*", "?l:*", "\\*a"}) CHECK(has_literal(pattern));
  for (const char* pattern : {"*", "**", "?*", "[a-z]*", "*:*", "\\**"})
    CHECK_FALSE(has_literal(pattern));
}
