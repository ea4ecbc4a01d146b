#include "policy/answer_place.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

std::optional<std::string> text_in(const char* place, const std::vector<HeaderField>& fields,
                                   const std::string& body) {
  return text_at(parse_answer_place(place), fields, body);
}

}  // namespace

TEST_CASE("the cost of a request is read from a header or from a place in the answer") {
  const AnswerPlace header = parse_answer_place("header X-Used");
  CHECK(number_at(header, {{"x-used", " 133 "}}, "") == 133);
  CHECK_FALSE(number_at(header, {{"x-used", "many"}}, ""));
  CHECK_FALSE(number_at(header, {}, ""));
  const AnswerPlace body = parse_answer_place("/usage/total_tokens");
  CHECK(number_at(body, {}, R"({"usage": {"total_tokens": 133}})") == 133);
  for (const char* wrong :
       {"", "[", "{}", R"({"usage": {"total_tokens": "x"}})", "[[[1]]]",
        R"({"usage": {"total_tokens": -1}})", R"({"usage": {"total_tokens": 1.5}})",
        R"({"usage": {"total_tokens": {}}})", R"({"usage": 1})"})
    CHECK_FALSE(number_at(body, {}, wrong));
}

TEST_CASE("a token is captured by JSON pointer, header or regular expression") {
  const std::vector<HeaderField> fields{{"Set-Cookie", "theme=dark; Path=/"},
                                        {"Set-Cookie", "sid=s3cret; HttpOnly"},
                                        {"X-Token", "abc"}};
  const std::string page = R"(<input name="csrf" value="tok-17">)";
  CHECK(text_in("/data/token", fields, R"({"data": {"token": "t1"}})") == "t1");
  CHECK(text_in("/id", fields, R"({"id": 17})") == "17");
  CHECK(text_in("header x-token", fields, "") == "abc");
  CHECK(text_in("header set-cookie regex sid=([^;]+)", fields, "") == "s3cret");
  CHECK(text_in("regex value=\"([^\"]*)\"", fields, page) == "tok-17");
  CHECK(text_in("regex tok-[0-9]+", fields, page) == "tok-17");
  CHECK_FALSE(text_in("regex sid=(.+)", fields, page));
  CHECK_FALSE(text_in("header x-nothing", fields, page));
}

TEST_CASE("a regular expression over a long body needs no long stack") {
  const std::string body = std::string(200'000, 'a') + "b";
  CHECK(text_in("regex (a+)b", {}, body).value().size() == 200'000);
}

TEST_CASE("another place is refused") {
  for (const char* wrong : {"", "usage", "header", "header a b", "header a: regex b", "/~2",
                            "regex", "regex (", "regexp x"})
    CHECK_THROWS_AS(parse_answer_place(wrong), Error);
}
