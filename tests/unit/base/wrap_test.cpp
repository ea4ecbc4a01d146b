// Breaking sentences into lines.
#include "base/wrap.h"

#include <doctest/doctest.h>

using rlctl::wrapped;
using rlctl::wrapped_text;
using Lines = std::vector<std::string>;

TEST_CASE("a sentence breaks at blanks, and no line exceeds the width") {
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 100) == Lines{"one two three"});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("a word that is too long stays whole on its own line") {
  CHECK(wrapped("a redis://127.0.0.1:6379 b", 8) == Lines{"a", "redis://127.0.0.1:6379", "b"});
}

TEST_CASE("columns count, not bytes") {
  CHECK(wrapped("µs µs µs", 5) == Lines{"µs µs", "µs"});
  CHECK(wrapped("日本 日本", 9) == Lines{"日本 日本"});
  CHECK(wrapped("日本 日本", 8) == Lines{"日本", "日本"});
}

TEST_CASE("line breaks in the text stay, and keep their indent") {
  CHECK(wrapped("first\n  second third", 9) == Lines{"first", "  second", "  third"});
}

TEST_CASE("text after a name continues after it") {
  CHECK(wrapped("bot   one two three", 13) == Lines{"bot   one two", "      three"});
}

TEST_CASE("all lines but the first have the indent") {
  CHECK(wrapped_text("one two three", 10, 3) == "one two\n   three\n");
}

TEST_CASE("text after a name of several words continues after it") {
  CHECK(wrapped("  Up Down   one two three", 17) ==
        Lines{"  Up Down   one", "            two", "            three"});
}

TEST_CASE("a command stays whole, up to a comma or the end of the line") {
  CHECK(wrapped("to see them: rlctl list --stuck, then go on", 30) ==
        Lines{"to see them:", "rlctl list --stuck, then go on"});
  CHECK(wrapped("again: rlctl run --seed 7 file.json", 20) ==
        Lines{"again: rlctl run --seed 7 file.json"});
  CHECK(wrapped("here rlctl says what it has done", 20) ==
        Lines{"here rlctl says what", "it has done"});
}
