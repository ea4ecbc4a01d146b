// Sentences in lines.
#include "base/wrap.h"

#include <doctest/doctest.h>

using rlctl::wrapped;
using rlctl::wrapped_text;
using Lines = std::vector<std::string>;

TEST_CASE("a sentence breaks at blanks, and no line is wider than asked for") {
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 100) == Lines{"one two three"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("a word that fits nowhere stays whole on a line of its own") {
  CHECK(wrapped("a redis://127.0.0.1:6379 b", 8) == Lines{"a", "redis://127.0.0.1:6379", "b"});
}

TEST_CASE("columns count, not bytes") {
  CHECK(wrapped("µs µs µs", 5) == Lines{"µs µs", "µs"});
  CHECK(wrapped("日本 日本", 9) == Lines{"日本 日本"});
  CHECK(wrapped("日本 日本", 8) == Lines{"日本", "日本"});
}

TEST_CASE("lines of the text stay lines, and keep their indent where they break") {
  CHECK(wrapped("first\n  second third", 9) == Lines{"first", "  second", "  third"});
}

TEST_CASE("what stands behind a name goes on behind it") {
  CHECK(wrapped("bot   one two three", 13) == Lines{"bot   one two", "      three"});
}

TEST_CASE("all lines but the first stand behind the indent") {
  CHECK(wrapped_text("one two three", 10, 3) == "one two\n   three\n");
}
