// Which texts have been met.
#include "inspect/fingerprints.h"

#include <doctest/doctest.h>

#include <string>

using rlctl::Fingerprints;

TEST_CASE("fingerprints tell whether a text has been met, also when there are many") {
  Fingerprints met;
  CHECK(met.add(""));
  CHECK_FALSE(met.add(""));
  constexpr int kMany = 100'000;
  int fresh = 0, again = 0;
  for (int i = 0; i < kMany; ++i) fresh += met.add("key:" + std::to_string(i)) ? 1 : 0;
  for (int i = 0; i < kMany; ++i) again += met.add("key:" + std::to_string(i)) ? 1 : 0;
  CHECK(fresh == kMany);
  CHECK(again == 0);
}
