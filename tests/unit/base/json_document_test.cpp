#include "base/json_document.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

// The first problem of a text; "" if there is none.
std::string first_problem(std::string_view text) {
  const JsonDocument document = parse_json_document(text);
  return document.problems.empty() ? std::string() : document.problems.front().what;
}

std::string repeated(const char* text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string text_of(std::string_view json) {
  const JsonDocument document = parse_json_document(json);
  REQUIRE(document.problems.empty());
  return document.root.text;
}

}  // namespace

TEST_CASE("every kind of value is read, with its position") {
  const std::string text = R"({"a": [1, -2.5e3, true, null], "b": {"c": "d"}})";
  const JsonDocument document = parse_json_document(text);
  REQUIRE(document.problems.empty());
  CHECK(document.complete);
  const JsonValue& list = *document.root.find("a");
  REQUIRE(list.items.size() == 4);
  CHECK(list.items[1].text == "-2.5e3");
  CHECK(list.items[1].span.begin == 10);
  CHECK(list.items[1].span.end == 16);
  CHECK(list.items[2].boolean);
  CHECK(list.items[3].kind == JsonKind::null);
  CHECK(document.root.find("b")->find("c")->text == "d");
  CHECK(document.root.find("z") == nullptr);
}

TEST_CASE("comments count as blanks") {
  const JsonDocument document = parse_json_document("// a\n{ /* b\n */ \"c\": 1 // d\n } // e");
  CHECK(document.problems.empty());
  CHECK(document.root.find("c")->text == "1");
  CHECK(first_problem("{} /* b") == "this comment never ends");
  CHECK(first_problem("{ / }") == "a lone slash");
}

TEST_CASE("escapes are decoded") {
  CHECK(text_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(text_of(R"("\u0041\u00e9\u20AC\ud83d\ude00")") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(text_of(R"("a\u0000b")") == std::string("a\0b", 3));
  for (const char* wrong : {R"("\x41")", R"("\u12")", R"("\ud83d")", R"("\ude00")", R"("\ud83dA")",
                            R"("\ud83d\u0041")", R"("\u00g0")"})
    CHECK(first_problem(wrong) == "this is not a JSON escape");
  CHECK(first_problem("\"\\") != "");
}

TEST_CASE("numbers keep their written form") {
  CHECK(text_of("18446744073709551616") == "18446744073709551616");
  CHECK(text_of("0") == "0");
  CHECK(text_of("-0.1E+7") == "-0.1E+7");
  for (const char* wrong : {"01", "1.", ".5", "+1", "1e", "--1", "1.2.3", "0x10", "1_000", "-"})
    CHECK(first_problem(wrong) != "");
  CHECK(first_problem("NaN") == "'NaN' is not JSON");
  CHECK(first_problem("Infinity") == "'Infinity' is not JSON");
}

TEST_CASE("missing and extra commas do not stop the parser") {
  const JsonDocument document = parse_json_document("{\"a\": [1, 2,], \"b\": 3 \"c\": 4,}");
  CHECK(document.complete);
  REQUIRE(document.problems.size() == 3);
  CHECK(document.problems[1].what == "a comma is missing before this");
  CHECK(document.root.find("c")->text == "4");
}

TEST_CASE("of two equal names the first is used, and the second is reported") {
  const JsonDocument document = parse_json_document(R"({"a": 1, "\u0061": 2})");
  REQUIRE(document.problems.size() == 1);
  CHECK(document.problems[0].what == "'a' comes twice");
  CHECK(document.problems[0].pointer == "/a");
  CHECK(document.problems[0].span.begin == 9);
  CHECK(document.root.find("a")->text == "1");
}

TEST_CASE("an unfinished text or file is reported at its beginning") {
  CHECK(first_problem("{\"a") == "this text is never closed");
  CHECK(first_problem("{\"a\nb\": 1}") == "this text is never closed");
  CHECK(first_problem("{\"a\": 1") == "this { is never closed");
  CHECK(first_problem("[1, 2") == "this [ is never closed");
  CHECK(first_problem("{\"a\":") == "the file ends in the middle of a value");
  CHECK(first_problem("{\"a\"") == "expected : after the name 'a'");
  CHECK(first_problem("") == "the file is empty");
  CHECK(first_problem(" \n // nothing") == "the file is empty");
  CHECK(first_problem("{} {}") == "there is more after the end of the object");
}

TEST_CASE("bytes that are not text are reported but not shown") {
  CHECK(first_problem("{\"a\": \"\xFF\"}") == "a byte that is not UTF-8");
  CHECK(first_problem("{\"a\": \"\xC0\xAF\"}") == "a byte that is not UTF-8");
  CHECK(first_problem("{\"a\": \"\xED\xA0\x80\"}") == "a byte that is not UTF-8");
  CHECK(first_problem(std::string("{\"a\": \"b\0\"}", 11)) == "a control character in a text");
  CHECK(first_problem(std::string("\0{}", 3)) == "'\\x00' where a value is expected");
  CHECK(first_problem("{\"a\": \x1b[2J}").find('\x1b') == std::string::npos);
  CHECK(first_problem("{'a': 1}") == "expected a name in double quotes");
  CHECK(first_problem("{\"a\": 'b'}") == "single quotes are not JSON");
}

TEST_CASE("depth, size and number of values are limited") {
  CHECK(first_problem(repeated("[", 64) + repeated("]", 64)) == "");
  CHECK(first_problem(repeated("[", 66) + repeated("]", 66)) == "nested more than 64 levels deep");
  CHECK(first_problem(repeated("[", 500'000)) == "nested more than 64 levels deep");
  CHECK(first_problem(repeated("{\"a\":", 100'000)) == "nested more than 64 levels deep");
  CHECK(first_problem(std::string(kLongestJsonBytes + 1, ' ')) == "the file is larger than 1 MiB");
  CHECK(first_problem("[" + repeated("0,", 200'000) + "0]") ==
        "more values than a scenario can have");
}

TEST_CASE("pointers escape what they are made of") {
  CHECK(pointer_to("/a", "b/c~d") == "/a/b~1c~0d");
  CHECK(pointer_to("", std::size_t{3}) == "/3");
}
