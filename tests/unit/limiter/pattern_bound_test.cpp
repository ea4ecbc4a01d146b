#include "limiter/lua/pattern_bound.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl;

TEST_CASE("a pattern's bound grows with every repetition that something follows") {
  CHECK(most_match_steps("abc", 100) < 300);
  CHECK(most_match_steps("[^,]+", 100'000) < 1e6);  // gmatch over a long list
  CHECK(most_match_steps("^%d+$", 100'000) < 1e6);
  CHECK(most_match_steps("^(%d+):(%d+):(%d+)$", 100) < 1e6);
  CHECK(most_match_steps("^%s*(.-)%s*$", 1'000) < 1e9);
  CHECK(most_match_steps("(%d+):(%d+):(%d+):(%d+)", 60) < 1e9);
  CHECK(most_match_steps(".-.-.-.-.-x", 1'000) > 1e12);
  std::string fifty;
  for (int i = 0; i < 50; ++i) fifty += ".-";
  CHECK(most_match_steps(fifty + "x", 50) > 1e20);
  CHECK(most_match_steps(std::string(100, '(') + fifty + "x", 50) > 1e20);
}

TEST_CASE("a pattern's bound knows what looks like a repetition, and is none") {
  const double plain = most_match_steps("a", 1'000);
  CHECK(most_match_steps("%*%-%+", 1'000) == plain);
  CHECK(most_match_steps("[]*]", 1'000) > plain);  // a set of two
  CHECK(most_match_steps("[]*]", 1'000) < 10 * plain);
  CHECK(most_match_steps("[%]*]*x", 1'000) > 100 * plain);
  CHECK(most_match_steps("a(*)", 1'000) < 3 * plain);
  CHECK(most_match_steps("%b()", 1'000) > 100 * plain);
  CHECK(most_match_steps("(.)%1", 1'000) > 100 * plain);
  CHECK(most_match_steps("a?b", 1'000) < 3 * plain);
  for (const char* wrong : {"", "%", "[", "[^", "[%", "%b", "%bx", "%f", "(", ")", "^", "*"})
    CHECK(most_match_steps(wrong, 10) >= 0);
}
