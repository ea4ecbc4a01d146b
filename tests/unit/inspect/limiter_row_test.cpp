#include "inspect/limiter_row.h"

#include <doctest/doctest.h>

#include <limits>

using namespace rlctl;

TEST_CASE("a use has the digits of a count, and a power of ten where a count has none") {
  CHECK(format_use(3'400) == "3,400");
  CHECK(format_use(-3) == "-3");
  CHECK(format_use(7.5) == "7.5");
  CHECK(format_use(999'999'999'999'999) == "999,999,999,999,999");
  CHECK(format_use(1e23) == "1e+23");
  CHECK(format_use(-1e23) == "-1e+23");
  CHECK(format_use(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("a row shows a use and a limit above every count") {
  LimiterRow row;
  row.used = 1e23;
  row.limit = 2e23;
  CHECK(used_cell(row) == "1e+23/2e+23");
  row.used.reset();
  row.left = 1e23;
  CHECK(used_cell(row) == "1e+23 left");
}
