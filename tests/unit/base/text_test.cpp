#include "base/text.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/header_field.h"

using namespace rlctl;
using Parts = std::vector<std::string>;

TEST_CASE("text is trimmed") {
  CHECK(trimmed(" \ta b\t ") == "a b");
  CHECK(trimmed("a\n") == "a\n");
  CHECK(trimmed("\r\n a\n", kBlanksAndLineEnds) == "a");
  CHECK(trimmed(" \t").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("text is split, and an empty part at the end is dropped") {
  CHECK(split("a,b,,c", ',') == Parts{"a", "b", "", "c"});
  CHECK(split("one\ntwo\n", '\n') == Parts{"one", "two"});
  CHECK(split("", ',').empty());
}

TEST_CASE("a command line is cut as a shell cuts it") {
  CHECK(shell_words(" CL.THROTTLE  <key>\t99\n") == Parts{"CL.THROTTLE", "<key>", "99"});
  CHECK(shell_words(R"(SET 'a b' "c \"d\" \e" f\ g '' x'y'"z")") ==
        Parts{"SET", "a b", R"(c "d" \e)", "f g", "", "xyz"});
  CHECK(shell_words("") == Parts{});
  CHECK_FALSE(shell_words("SET 'a"));
  CHECK_FALSE(shell_words("SET \"a\\\""));
  CHECK_FALSE(shell_words("SET a\\"));
}

TEST_CASE("parts are joined") {
  CHECK(joined(Parts{"a", "", "c"}) == "a, , c");
  CHECK(joined(Parts{"a", "b"}, "|") == "a|b");
  CHECK(joined(Parts{}).empty());
}

TEST_CASE("case is ASCII only") {
  CHECK(lower_case("AZaz[É") == "azaz[É");
  CHECK(equals_ignoring_case("Content-Length", "content-lengtH"));
  CHECK(!equals_ignoring_case("a", "ab"));
  CHECK(!equals_ignoring_case("[", "{"));
}

TEST_CASE("a number is the whole text") {
  CHECK(parse_whole<int>("-12") == -12);
  CHECK(parse_whole<int>("ff", 16) == 255);
  CHECK(!parse_whole<int>(""));
  CHECK(!parse_whole<int>("1 "));
  CHECK(!parse_whole<std::uint8_t>("256"));
  CHECK(hex_value('b') == 11);
  CHECK(hex_value('G') == -1);
}

TEST_CASE("a header field cannot start another") {
  CHECK(is_field_name("X-Forwarded-For"));
  CHECK(!is_field_name("a:b"));
  CHECK(!is_field_name(""));
  CHECK(is_field_value("a\tb \xC3\xA9"));
  CHECK(!is_field_value("a\r\nb: c"));
}
