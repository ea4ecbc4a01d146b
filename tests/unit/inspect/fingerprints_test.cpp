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

TEST_CASE("a fingerprint keeps its mark while others come, until it gets another") {
  Fingerprints met;
  constexpr unsigned kMany = 10'000, kMarks = 8;
  const auto name = [](unsigned i) { return "key:" + std::to_string(i); };
  for (unsigned i = 0; i < kMany; ++i) met.add(name(i), i % kMarks);
  unsigned wrong = 0;
  for (unsigned i = 0; i < kMany; ++i) wrong += met.mark_of(name(i)) != i % kMarks ? 1 : 0;
  CHECK(wrong == 0);
  CHECK_FALSE(met.add(name(3), 5));
  CHECK(met.mark_of(name(3)) == 3);
  met.mark(name(3), 5);
  CHECK(met.mark_of(name(3)) == 5);
  CHECK_FALSE(met.mark_of("another").has_value());
}
