#include "base/timestamp.h"

#include <doctest/doctest.h>

namespace rlctl {
namespace {

constexpr std::int64_t kStamp = 1'700'000'000'000'000;  // 2023-11-14 22:13:20 UTC

void check_time(std::string_view text, std::int64_t us, std::int64_t resolution_us) {
  CAPTURE(text);
  const auto time = parse_calendar_time(text);
  REQUIRE(time.has_value());
  CHECK(time->us == us);
  CHECK(time->resolution_us == resolution_us);
}

TEST_CASE("calendar times are read with their zone and their resolution") {
  check_time("2023-11-14T22:13:20Z", kStamp, 1'000'000);
  check_time("2023-11-14 23:13:20+01:00", kStamp, 1'000'000);
  check_time("2023-11-14T22:13:20.5", kStamp + 500'000, 100'000);
  check_time("2023-11-14T22:13:20,123456789Z", kStamp + 123'456, 1);
  check_time("14/Nov/2023:22:13:20 +0000", kStamp, 1'000'000);
  check_time("14/Nov/2023:17:13:20 -0500", kStamp, 1'000'000);
  check_time("14/Nov/2023:22:13:20.123", kStamp + 123'000, 1'000);
  check_time("1970-01-01T00:00:00Z", 0, 1'000'000);
  check_time("2000-02-29T00:00:00Z", 951'782'400'000'000, 1'000'000);
  check_time("9999-12-31T23:59:59Z", 253'402'300'799'000'000, 1'000'000);
}

TEST_CASE("an invalid time is refused") {
  for (const char* text :
       {"", "2023", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:13:20Zx", "292277-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
        "14/Foo/2023:22:13:20 +0000", "14/Nov/2023", "14/Nov/2023:22:13:20 +00",
        "1970-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2023-11-14T22:13:20."}) {
    CAPTURE(text);
    CHECK_FALSE(parse_calendar_time(text).has_value());
  }
}

TEST_CASE("numbers since 1970 show their unit by their size") {
  CHECK(likely_unit("1700000000") == TimeUnit::seconds);
  CHECK(likely_unit("1700000000.5") == TimeUnit::seconds);
  CHECK(likely_unit("1700000000000") == TimeUnit::milliseconds);
  CHECK(likely_unit("1700000000000000") == TimeUnit::microseconds);
  CHECK(likely_unit("1700000000000000000") == TimeUnit::nanoseconds);
  CHECK(likely_unit("17") == TimeUnit::detected);
}

TEST_CASE("numbers are read in their unit, with the resolution of their digits") {
  const auto check = [](const char* text, TimeUnit unit, std::int64_t us, std::int64_t resolution) {
    CAPTURE(text);
    const auto time = parse_number_of(text, unit);
    REQUIRE(time.has_value());
    CHECK(time->us == us);
    CHECK(time->resolution_us == resolution);
  };
  check("1700000000", TimeUnit::seconds, kStamp, 1'000'000);
  check("1700000000.250", TimeUnit::seconds, kStamp + 250'000, 1'000);
  check("1700000000250.5", TimeUnit::milliseconds, kStamp + 250'500, 100);
  check("1700000000000000001", TimeUnit::nanoseconds, kStamp, 1);
  for (const char* wrong : {"", "-1", "1e9", "1.", ".5", "0x1", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_number_of(wrong, TimeUnit::seconds).has_value());
  }
}

}  // namespace
}  // namespace rlctl

TEST_CASE("an instant is shown in UTC to the microsecond") {
  CHECK(rlctl::format_instant(0) == "1970-01-01 00:00:00.000000");
  CHECK(rlctl::format_instant(1'795'214'760'123'456) == "2026-11-20 22:46:00.123456");
  CHECK(rlctl::format_instant(-1) == "1969-12-31 23:59:59.999999");
}
