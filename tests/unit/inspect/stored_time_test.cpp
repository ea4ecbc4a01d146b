#include "inspect/stored_time.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/units.h"

using namespace rlctl;

TEST_CASE("the magnitude of a number shows its unit") {
  constexpr std::int64_t at_us = 1'795'214'760'123'456;
  CHECK(stored_time_from(1795214760) == StoredTime{1'795'214'760'000'000, "s"});
  CHECK(stored_time_from(1795214760.5) == StoredTime{1'795'214'760'500'000, "s"});
  CHECK(stored_time_from(1795214760123.0) == StoredTime{1'795'214'760'123'000, "ms"});
  CHECK(stored_time_from(1795214760123456.0) == StoredTime{at_us, "µs"});
  CHECK(stored_time_from(1795214760123456000.0)->unit == "ns");
}

TEST_CASE("a number outside 2001 to 2100 is not a time") {
  for (const double number : {0.0, 5.0, 1e8, 5e9, -1795214760.0, 1e30}) {
    CAPTURE(number);
    CHECK_FALSE(stored_time_from(number));
  }
}

TEST_CASE("a stored time is the whole text") {
  CHECK(stored_time_in("1.7952145070366e+15")->unit == "µs");
  for (const char* text : {"", "1795214760x", " 1795214760", "12"})
    CHECK_FALSE(stored_time_in(text));
}

TEST_CASE("a computed time is rounded, and one that does not fit is as far away as can be") {
  CHECK(rounded_us(1.6) == 2);
  CHECK(rounded_us(1e300) > 1'000 * kLongestDurationUs);
  CHECK(rounded_us(1e300) <= us_of_ms(std::numeric_limits<std::int64_t>::max()));
  CHECK(rounded_us(-1e300) == -rounded_us(1e300));
  CHECK(rounded_us(std::nan("")) == 0);
}
