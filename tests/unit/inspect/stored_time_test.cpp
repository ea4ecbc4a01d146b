#include "inspect/stored_time.h"

#include <doctest/doctest.h>

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

TEST_CASE("numbers are read as Redis and Lua write them, and the whole text must match") {
  CHECK(number_from("1.7952145070366e+15") == 1.7952145070366e+15);
  CHECK(number_from("-3") == -3);
  CHECK_FALSE(number_from(""));
  CHECK_FALSE(number_from("12x"));
  CHECK_FALSE(number_from(" 12"));
}

TEST_CASE("a time is shown in UTC to the microsecond") {
  CHECK(format_utc(0) == "1970-01-01 00:00:00.000000");
  CHECK(format_utc(1'795'214'760'123'456) == "2026-11-20 22:46:00.123456");
  CHECK(format_utc(-1) == "1969-12-31 23:59:59.999999");
}
