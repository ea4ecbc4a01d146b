// Lines of a log, however its bytes arrive, and its names as numbers.
#include "log/line_splitter.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "log/interner.h"

using namespace rlctl;

namespace {

// The lines as "number:text|", fed in pieces of this size.
std::string split_lines(const std::string& bytes, std::size_t step) {
  LineSplitter splitter;
  std::string all;
  const auto note = [&](const LineSplitter::Line& line) {
    all += std::to_string(line.number) + ":" +
           (line.too_long ? "TOO LONG" : std::string(line.text)) + "|";
  };
  for (std::size_t at = 0; at < bytes.size(); at += step)
    splitter.feed(std::string_view(bytes).substr(at, step), note);
  splitter.finish(note);
  return all;
}

std::string in_any_pieces(const std::string& bytes) {
  const std::string whole = split_lines(bytes, bytes.size() + 1);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    CAPTURE(step);
    CHECK(split_lines(bytes, step) == whole);
  }
  return whole;
}

}  // namespace

TEST_CASE("lines are the same in any pieces, with LF or CRLF, with or without a last one") {
  CHECK(in_any_pieces("a\nbc\n") == "1:a|2:bc|");
  CHECK(in_any_pieces("a\r\nbc\r\n") == "1:a|2:bc|");
  CHECK(in_any_pieces("a\nbc") == "1:a|2:bc|");
  CHECK(in_any_pieces("\n\nx\n\n") == "1:|2:|3:x|4:|");
  CHECK(in_any_pieces("a\rb\r\r\n") == "1:a\rb\r|");
  CHECK(split_lines("", 1) == "");
}

TEST_CASE("a byte order mark is dropped at the start, and nowhere else") {
  CHECK(in_any_pieces("\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n") == "1:x|2:\xEF\xBB\xBFy|");
}

TEST_CASE("a line that is too long is told once, and the next one is whole") {
  const std::string longest(LineSplitter::kLongestLine, 'x');
  for (const std::size_t step : {std::size_t{4'096}, longest.size() * 2}) {
    CAPTURE(step);
    CHECK(split_lines(longest + "x\nnext\n", step) == "1:TOO LONG|2:next|");
    CHECK(split_lines(longest + "xyz", step) == "1:TOO LONG|");
    CHECK(split_lines(longest + "\nnext", step).ends_with("x|2:next|"));
  }
}

TEST_CASE("each text has one number, in the order of first use") {
  Interner interner;
  CHECK(interner.number_of("a") == 0);
  CHECK(interner.number_of("b") == 1);
  CHECK(interner.number_of("b") == 1);
  CHECK(interner.number_of("a") == 0);
  CHECK(interner.number_of("") == 2);
  CHECK(interner.number_of(std::string_view("a\0", 2)) == 3);
  CHECK(interner.texts() == std::vector<std::string>{"a", "b", "", std::string("a\0", 2)});
}

TEST_CASE("numbers stay when the table grows") {
  Interner interner;
  for (std::uint32_t i = 0; i < 10'000; ++i)
    CHECK(interner.number_of("key" + std::to_string(i)) == i);
  for (std::uint32_t i = 0; i < 10'000; i += 7)
    CHECK(interner.number_of("key" + std::to_string(i)) == i);
  CHECK(interner.take().size() == 10'000);
}
