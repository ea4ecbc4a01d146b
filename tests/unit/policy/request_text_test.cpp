#include "policy/request_text.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

std::optional<std::string> environment(std::string_view name) {
  if (name == "TOKEN") return "canary<ip>";
  if (name == "EMPTY") return "";
  return std::nullopt;
}

const std::vector<std::string> kCaptured{"token"};

std::string filled(const std::string& text) {
  const CapturedValues captured{{"token", "t/1"}};
  const RequestValues values{{"::1", "ann", 7}, 41, "u-u-i-d", &captured};
  return RequestText(text, kCaptured, environment).filled(values);
}

std::string problem_with(const std::string& text) {
  try {
    filled(text);
  } catch (const Error& error) {
    return std::string(error.what()) + "; " + error.hint();
  }
  return "";
}

}  // namespace

TEST_CASE("the words of a request are the client's, its own, captured, and variables") {
  CHECK(filled("<ip> <user> <n> <request> <uuid> <token>") == "::1 ann 7 41 u-u-i-d t/1");
  CHECK(filled("Bearer ${TOKEN}") == "Bearer canary<ip>");
  CHECK(filled("$${TOKEN} $5 a < b ${ } <>") == "${TOKEN} $5 a < b ${ } <>");
}

TEST_CASE("a word or variable that has no value is an error that names it, and shows no value") {
  CHECK(problem_with("<usr>") == "the word <usr> is not known here; did you mean 'user'?");
  CHECK(problem_with("<x>") ==
        "the word <x> is not known here; it is one of <ip>, <user>, <n>, <request>, <uuid>, "
        "<token>");
  CHECK(problem_with("${TOKEN} ${NONE}") ==
        "the environment variable NONE is not set; set it for this command: NONE=… rlctl …; a "
        "plain ${ is written $${");
  CHECK(problem_with("${EMPTY}").starts_with("the environment variable EMPTY is empty"));
}

TEST_CASE("what differs between clients is not what differs between requests") {
  CHECK(names_client("/u/<user>"));
  CHECK_FALSE(names_client("/u/<request>/<token>"));
  CHECK(names_request("/u/<uuid>"));
  CHECK_FALSE(names_request("/u/<user>/${TOKEN}"));
}

TEST_CASE("a secret is masked wherever it stands") {
  CHECK(masked("/a?t=abc&u=abc", {"abc", ""}) == "/a?t=***&u=***");
}
