// Sets of HTTP status codes as people write them.
#include "base/status_set.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

using namespace rlctl;

namespace {

// The ranges of the set: "200-399 404".
std::string shown(std::string_view text) {
  const StatusSet set(text, "--allowed");
  std::string all;
  for (int status = -1; status <= 1'001; ++status) {
    if (!set.has(status) || set.has(status - 1)) continue;
    int last = status;
    while (set.has(last + 1)) ++last;
    all += (all.empty() ? "" : " ") + std::to_string(status) +
           (last > status ? "-" + std::to_string(last) : "");
    status = last;
  }
  return all;
}

}  // namespace

TEST_CASE("a status, a class, a range and a list of them are sets") {
  CHECK(shown("200") == "200");
  CHECK(shown("2xx") == "200-299");
  CHECK(shown("200-399,404") == "200-399 404");
  CHECK(shown("404,200,201,202") == "200-202 404");
  CHECK(shown("100-999") == "100-999");
  CHECK(shown("429-429") == "429");
  CHECK_FALSE(StatusSet().has(200));
}

TEST_CASE("sets overlap if they share a status") {
  CHECK(StatusSet("2xx", "a").overlaps(StatusSet("299-300", "b")));
  CHECK_FALSE(StatusSet("2xx", "a").overlaps(StatusSet("300,199", "b")));
  CHECK_FALSE(StatusSet("2xx", "a").overlaps(StatusSet()));
}

TEST_CASE("anything else is refused, with the field and the part") {
  for (const char* text : {"", ",", "200,", "2x", "0xx", "99", "1000", "200-", "-200", "300-200",
                           "200 ", "+200", "2XX", "200-2xx", "abc"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(StatusSet(text, "--allowed"), Error);
  }
  CHECK_THROWS_WITH_AS(StatusSet("200,4o4", "--denied"), "--denied: '4o4' is not an HTTP status",
                       Error);
}

TEST_CASE("what decides about a status is the option that gives it its usual meaning") {
  CHECK(remedy_for_status(302, false) == "add --allowed 2xx,302 if it admits");
  CHECK(remedy_for_status(204, false) == "add --allowed 2xx if it admits");
  CHECK(remedy_for_status(503, true) == "add --denied 429,503 if it denies");
  CHECK(remedy_for_status(503, true, true) == R"(add "denied": ["429", "503"] if it denies)");
  CHECK(remedy_for_status(500, true) == "say what it means with --allowed or --denied");
  CHECK(remedy_for_status(500, true, true) == R"(say what it means with "allowed" or "denied")");
}

TEST_CASE("a status of all answers may be that of a wrong address") {
  CHECK(remedy_for_status(404, true) == "check the path");
  CHECK(remedy_for_status(400, true).starts_with("check the path"));
  for (const int status : {400, 404})
    CHECK(remedy_for_status(status, false) == "say what it means with --allowed or --denied");
}
