#include "base/units.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/error.h"

using namespace rlctl;

namespace {

// "what | hint" of the error that `parse` throws; empty when it does not.
template <class Parse>
std::string error_of(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return {};
}

std::string duration_error(const std::string& text) {
  return error_of([&] { parse_positive_duration_us(text, "--window"); });
}

std::string count_error(const std::string& text) {
  return error_of([&] { parse_count(text, "--limit"); });
}

}  // namespace

TEST_CASE("durations are read with their units") {
  CHECK(parse_duration_us("60s", "f") == 60'000'000);
  CHECK(parse_duration_us("1h30m", "f") == 5'400'000'000);
  CHECK(parse_duration_us("500ms", "f") == 500'000);
  CHECK(parse_duration_us("250us", "f") == 250);
  CHECK(parse_duration_us("1.5s", "f") == 1'500'000);
  CHECK(parse_duration_us("0.000001s", "f") == 1);
  CHECK(parse_duration_us("1.000000000s", "f") == 1'000'000);
  CHECK(parse_duration_us("0.125d", "f") == 10'800'000'000);
  CHECK(parse_duration_us("0s", "f") == 0);
  CHECK(parse_duration_us("1d2h3m4s5ms6us", "f") == 93'784'005'006);
  CHECK(parse_duration_us("36500d", "f") == kLongestDurationUs);
}

TEST_CASE("a bad duration is refused with the field, the text and an example") {
  const std::string example = " | write 5s, 500ms or 1m30s";
  CHECK(duration_error("5") == "--window: '5' has no unit" + example);
  CHECK(duration_error("1.5") == "--window: '1.5' has no unit" + example);
  CHECK(duration_error("") == "--window: '' is not a duration" + example);
  CHECK(duration_error("m") == "--window: 'm' is not a duration" + example);
  CHECK(duration_error("1.5.2s") == "--window: '1.5.2s' has a number without a unit" + example);
  CHECK(duration_error("1m30") == "--window: '1m30' has a number without a unit" + example);
  CHECK(duration_error("-5s") == "--window: '-5s' has a sign" + example);
  const std::string units = " | the units are d, h, m, s, ms and us";
  CHECK(duration_error("5 s") == "--window: '5 s' has the unknown unit ' s'" + units);
  CHECK(duration_error("5S") == "--window: '5S' has the unknown unit 'S'" + units);
  CHECK(duration_error("1s1s") == "--window: '1s1s' has its units in the wrong order" + example);
  CHECK(duration_error("1s1m") == "--window: '1s1m' has its units in the wrong order" + example);
  CHECK(duration_error("1.5us") == "--window: '1.5us' is finer than a microsecond" + example);
  CHECK(duration_error("0s") == "--window: '0s' must be more than 0" + example);
  CHECK(duration_error(".5s") == "--window: '.5s' is not a duration" + example);
  CHECK(duration_error("5.s") == "--window: '5.s' is not a duration" + example);
}

TEST_CASE("a rate may have a unit alone, and what is wrong is quoted as it was written") {
  const auto error = [](const std::string& text) {
    return error_of([&] { parse_rate(text, "--rate"); });
  };
  CHECK(parse_rate("5/m", "f").per_us == kMinuteUs);
  CHECK(parse_rate("5/m30s", "f").per_us == 90 * kSecondUs);
  CHECK(error("5/min") == "--rate: 'min' is not a unit | the units are d, h, m, s, ms and us");
  CHECK(error("5/1min") ==
        "--rate: '1min' has the unknown unit 'min' | the units are d, h, m, s, ms and us");
  CHECK(error("5/.5s") == "--rate: '.5s' is not a duration | write 5s, 500ms or 1m30s");
}

TEST_CASE("a duration that is too long is reported as too long") {
  for (const char* text : {"99999999999999999999s", "36500d1us", "9223372036854775807d",
                           "9223372036854775807us", "36500.5d", "9223372036854775.9ms"}) {
    CAPTURE(std::string(text));
    const std::string error = duration_error(text);
    CHECK(error.find("is too long | the longest duration is 36500d") != std::string::npos);
  }
}

TEST_CASE("bad text is escaped before it is shown") {
  CHECK(duration_error("5\x1b[2Js") ==
        "--window: '5\\x1b[2Js' has the unknown unit '\\x1b['"
        " | the units are d, h, m, s, ms and us");
  CHECK(count_error("\xff\n") ==
        "--limit: '\\xff\\x0a' is not a whole number | write a whole number, 1 or more");
  CHECK(count_error(std::string(5000, 'x')).size() < 200);
}

TEST_CASE("a formatted duration parses back to the same value") {
  std::mt19937_64 random(42);
  for (int i = 0; i < 100'000; ++i) {
    const auto us = static_cast<std::int64_t>((random() >> (random() % 60 + 4)) %
                                              (std::uint64_t{kLongestDurationUs} + 1));
    const std::string text = format_duration(us);
    CAPTURE(std::string(text));
    REQUIRE(parse_duration_us(text, "f") == us);
  }
}

TEST_CASE("durations are written in short form") {
  CHECK(format_duration(0) == "0s");
  CHECK(format_duration(250) == "250us");
  CHECK(format_duration(1500) == "1.5ms");
  CHECK(format_duration(500'000) == "500ms");
  CHECK(format_duration(59'996'000) == "59.996s");
  CHECK(format_duration(90'000'000) == "1m30s");
  CHECK(format_duration(3'600'000'000) == "1h");
  CHECK(format_duration(86'400'000'000 + 1) == "1d0.000001s");
  CHECK(format_duration(-1'500'000) == "-1.5s");
}

TEST_CASE("durations for people have three digits or two units") {
  CHECK(format_duration_for_people(0) == "0 µs");
  CHECK(format_duration_for_people(12) == "12 µs");
  CHECK(format_duration_for_people(1200) == "1.20 ms");
  CHECK(format_duration_for_people(9996) == "10.0 ms");
  CHECK(format_duration_for_people(118'000) == "118 ms");
  CHECK(format_duration_for_people(999'499) == "999 ms");
  CHECK(format_duration_for_people(999'500) == "1.00 s");
  CHECK(format_duration_for_people(42'100'000) == "42.1 s");
  CHECK(format_duration_for_people(59'990'000) == "1 m");
  CHECK(format_duration_for_people(90'000'000) == "1 m 30 s");
  CHECK(format_duration_for_people(3'599'900'000) == "1 h");
  CHECK(format_duration_for_people(5'400'000'000) == "1 h 30 m");
  CHECK(format_duration_for_people(86'399'900'000) == "1 d");
  CHECK(format_duration_for_people(kLongestDurationUs) == "36500 d");
  CHECK(format_duration_for_people(kLongestDurationUs + 1) == "more than 100 years");
  CHECK(format_countdown(kLongestDurationUs + 1) == ">100y");
  CHECK(format_duration_for_people(std::int64_t{50} * 3'600'000'000) == "2 d 2 h");
  CHECK(format_duration_for_people(-1200) == "-1.20 ms");
}

TEST_CASE("counts are whole numbers from the minimum up") {
  CHECK(parse_count("1", "--limit") == 1);
  CHECK(parse_count("0", "--limit", 0) == 0);
  CHECK(parse_count("007", "--limit") == 7);
  CHECK(parse_count("9223372036854775807", "--limit") == 9223372036854775807);
  CHECK(count_error("0") == "--limit: '0' is too small | write a whole number, 1 or more");
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "1,000", "ten"}) {
    CAPTURE(std::string(text));
    CHECK(count_error(text).find("is not a whole number") != std::string::npos);
  }
}

TEST_CASE("a number that overflows is reported as too large") {
  for (const char* text : {"99999999999999999999", "9223372036854775808"}) {
    CHECK(count_error(text) == std::string("--limit: '") + text +
                                   "' is too large | the largest number is 9223372036854775807");
  }
}

TEST_CASE("rates are a count per duration") {
  CHECK(parse_rate("30/1m", "--rate").count == 30);
  CHECK(parse_rate("30/1m", "--rate").per_us == 60'000'000);
  CHECK(parse_rate("500/s", "--rate").per_us == 1'000'000);
  CHECK(parse_rate("5/250ms", "--rate").per_us == 250'000);
  for (const char* text : {"30", "/1m", "30/", "30/0s", "0/1s", "30/5", "30/1m/2", "-3/s"}) {
    CAPTURE(std::string(text));
    CHECK(error_of([&] { parse_rate(text, "--rate"); }).substr(0, 7) == "--rate:");
  }
}

TEST_CASE("counts and bytes are grouped and scaled for people") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1'234'567) == "1,234,567");
  CHECK(format_count(-123'456) == "-123,456");
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(1160) == "1.13 KiB");
  CHECK(format_bytes(118 * 1024) == "118 KiB");
  CHECK(format_bytes(1024 * 1024 - 1) == "1.00 MiB");
}
