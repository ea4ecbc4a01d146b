// The scan for tests finds their names, and those that may pass without a check.
#include "house/test_scan.h"

#include <doctest/doctest.h>

using namespace rlctl::house;

namespace {

bool empty_passes(const std::string& body) {
  const std::vector<TestCase> cases = test_cases_of("TEST_CASE(\"x\") {\n" + body + "\n}\n");
  REQUIRE(cases.size() == 1);
  return cases[0].may_check_nothing;
}

}  // namespace

TEST_CASE("test cases are found with their lines and whole names") {
  const std::vector<TestCase> cases = test_cases_of(
      "// TEST_CASE(\"no\")\nTEST_CASE(\"a (b) \\\"c\\\"\") {}\n\nTEST_CASE(\n    \"long \"\n"
      "    \"name\") { f(\"TEST_CASE(\"); }\n");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].name == "a (b) \\\"c\\\"");
  CHECK(cases[0].line == 2);
  CHECK(cases[1].name == "long name");
  CHECK(cases[1].line == 4);
}

TEST_CASE("a test whose only checks are in a loop that may be empty is found") {
  CHECK(empty_passes("for (const Row& row : rows()) CHECK(row.ok);"));
  CHECK(empty_passes("for (const Row& row : rows) { f(); CHECK(row.ok); }"));
  CHECK(empty_passes("while (next()) REQUIRE(ok());"));
  CHECK(empty_passes("for (int i = 0; i < size(); ++i)\n  if (i > 1) CHECK(i);"));
  CHECK(empty_passes(
      "for (int i : {1, 2})\n  for (const Row& row : rows(i)) {\n    CHECK(row);\n  }"));
}

TEST_CASE("a test with a check outside, or in a loop that surely runs, is accepted") {
  CHECK_FALSE(empty_passes("REQUIRE(rows.size() == 3);\nfor (const Row& row : rows) CHECK(row);"));
  CHECK_FALSE(empty_passes("for (const Row& row : rows()) CHECK(row);\nCHECK(last);"));
  CHECK_FALSE(empty_passes("for (const int n : {1, 2}) CHECK(n);"));
  CHECK_FALSE(empty_passes("for (const auto& x : std::vector<A>{{1}, {2}}) CHECK(x);"));
  CHECK_FALSE(empty_passes("for (const int n : kSizes) CHECK(n);"));
  CHECK_FALSE(empty_passes("const int sizes[] = {1, 2};\nfor (const int n : sizes) CHECK(n);"));
  CHECK_FALSE(empty_passes("for (int i = 0; i < 3; ++i) { if (f()) continue; CHECK(i); }"));
  CHECK_FALSE(empty_passes("f();"));
}
