// Places in a text, and the underlined line of a message.
#include "base/source_text.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl;

namespace {

std::string place(const SourceText& source, std::size_t offset) {
  const SourcePlace found = source.place_of(offset);
  return std::to_string(found.line) + ":" + std::to_string(found.column);
}

std::string described(const std::string& text, const std::string& part,
                      const std::string& hint = {}) {
  const SourceText source("a.json", text);
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return source.describe({{at, at + part.size()}, "/x", "it is wrong", hint});
}

}  // namespace

TEST_CASE("places count lines and characters from 1, not bytes") {
  const SourceText source("a.json", "ab\nµcd\n\ne");
  CHECK(place(source, 0) == "1:1");
  CHECK(place(source, 2) == "1:3");
  CHECK(place(source, 3) == "2:1");
  CHECK(place(source, 5) == "2:2");  // after the two bytes of µ
  CHECK(place(source, 8) == "3:1");
  CHECK(place(source, 9) == "4:1");
  CHECK(place(source, 10) == "4:2");
}

TEST_CASE("a problem is shown with its place, its line and its hint") {
  CHECK(described("{\n  \"limt\": 5\n}", "\"limt\"", "did you mean 'limit'?") ==
        "a.json:2:3: /x: it is wrong\n"
        "  2 |   \"limt\": 5\n"
        "    |   ^^^^^^\n"
        "  did you mean 'limit'?\n");
  CHECK(described("abc", "b") == "a.json:1:2: /x: it is wrong\n  1 | abc\n    |  ^\n");
}

TEST_CASE("the underline stands below the characters, also after wide and escaped ones") {
  CHECK(described("\"µ\": bad", "bad").ends_with("  1 | \"µ\": bad\n    |      ^^^\n"));
  const std::string hostile = described("\x1b[2J bad", "bad");
  CHECK(hostile.find('\x1b') == std::string::npos);
  CHECK(hostile.find("\\x1b[2J bad") != std::string::npos);
}

TEST_CASE("a problem over several lines is underlined on its first line only") {
  const std::string text = described("ab {\n  c\n}", "{\n  c\n}");
  CHECK(text.starts_with("a.json:1:4: /x: it is wrong\n  1 | ab {\n    |    ^"));
  CHECK(text.find("  2 |") == std::string::npos);
}

TEST_CASE("a long line is cut around the place, which stays visible") {
  const std::string text = described(std::string(500, 'x') + "bad" + std::string(500, 'y'), "bad");
  CHECK(text.find("bad") != std::string::npos);
  CHECK(text.find("...x") != std::string::npos);
  CHECK(text.find("y...") != std::string::npos);
  CHECK(text.size() < 500);
}

TEST_CASE("problems come in the order of the text, and a long list is cut") {
  const SourceText source("a", "abcdef");
  const auto problem = [](std::size_t at) {
    return SourceProblem{{at, at + 1}, "", "problem " + std::to_string(at), ""};
  };
  const std::string all = describe_all(source, {problem(4), problem(0), problem(2)});
  CHECK(all.find("problem 0") < all.find("problem 2"));
  CHECK(all.find("problem 2") < all.find("problem 4"));
  const std::string two = describe_all(source, {problem(4), problem(0), problem(2)}, 2);
  CHECK(two.find("problem 4") == std::string::npos);
  CHECK(two.find("and 1 more mistake") != std::string::npos);
}
