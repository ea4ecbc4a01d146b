// Structured Fields: lists and dictionaries as RFC 9651 reads them.
#include "policy/structured_list.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl;

namespace {

std::string shown(const BareItem& item) {
  switch (item.kind) {
    case BareItem::Kind::integer:
      return std::to_string(item.integer);
    case BareItem::Kind::string:
      return "\"" + item.text + "\"";
    case BareItem::Kind::token:
      return item.text;
    case BareItem::Kind::other:
      break;
  }
  return "other";
}

std::string shown(const ListItem& item) {
  std::string text = shown(item.value);
  for (const auto& [name, value] : item.parameters) text += ";" + name + "=" + shown(value);
  return text;
}

std::string list(std::string_view text) {
  const auto items = parse_structured_list(text);
  if (!items) return "malformed";
  std::string all;
  for (const ListItem& item : *items) all += (all.empty() ? "" : ", ") + shown(item);
  return all;
}

std::string dictionary(std::string_view text) {
  const auto members = parse_structured_dictionary(text);
  if (!members) return "malformed";
  std::string all;
  for (const auto& [name, item] : *members)
    all += (all.empty() ? "" : ", ") + name + "=" + shown(item);
  return all;
}

}  // namespace

TEST_CASE("a list has items with parameters") {
  CHECK(list("\"default\";q=100;w=60") == "\"default\";q=100;w=60");
  CHECK(list("\"a\";q=1, \"b\";r=2") == "\"a\";q=1, \"b\";r=2");
  CHECK(list("  sugar, tea ,\trum  ") == "sugar, tea, rum");
  CHECK(list("-7") == "-7");
  CHECK(list("") == "");
  CHECK(list("a;b=1;b=2") == "a;b=2");  // the last one
}

TEST_CASE("kinds that no field of ours uses are read over") {
  CHECK(list("1.5, ?1, :aGk=:") == "other, other, other");
  CHECK(list("a;secure") == "a;secure=other");  // a parameter without a value is true
}

TEST_CASE("a string keeps its escaped quotes and backslashes") {
  CHECK(list(R"("a\"b\\c")") == R"("a"b\c")");
  CHECK(list(R"("a\nb")") == "malformed");
  CHECK(list("\"open") == "malformed");
  CHECK(list("\"\xC3\xA9\"") == "malformed");
}

TEST_CASE("one malformed member invalidates the whole field") {
  for (const char* text : {"a,", ",a", "a b", "a;", "a;=1", "a;Q=1", "1.", "1.2345", "(a b)",
                           "a=", "99999999999999999", "--1", "\"a\"\"b\""}) {
    CAPTURE(text);
    CHECK(list(text) == "malformed");
  }
}

TEST_CASE("a dictionary has members in the order of the field") {
  CHECK(dictionary("limit=10, remaining=3, reset=7") == "limit=10, remaining=3, reset=7");
  CHECK(dictionary("a=1;x=2, b") == "a=1;x=2, b=other");
  CHECK(dictionary("A=1") == "malformed");
  CHECK(dictionary("a=1,") == "malformed");
}

TEST_CASE("a parameter is found by its name, and counts only as an integer") {
  const auto items = parse_structured_list("\"p\";q=5;w=\"x\"");
  REQUIRE(items);
  REQUIRE(items->size() == 1);
  CHECK(items->front().integer("q") == 5);
  CHECK_FALSE(items->front().integer("w"));
  CHECK_FALSE(items->front().integer("r"));
  CHECK(items->front().parameter("w") != nullptr);
  CHECK(items->front().parameter("r") == nullptr);
}

TEST_CASE("written text is a valid string again, whatever it was") {
  CHECK(format_structured_string("plain") == "\"plain\"");
  CHECK(format_structured_string("a\"b\\c") == R"("a\"b\\c")");
  CHECK(format_structured_string("\x1b[2J\xC3\xA9\n") == "\"_[2J___\"");
  for (const std::string text : {"", "a b", "\"", "\\", "a\\\"b"}) {
    CAPTURE(text);
    const auto items = parse_structured_list(format_structured_string(text));
    REQUIRE(items);
    CHECK(items->front().value.text == text);
  }
}
