#include "limiter/cost_source.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("the cost of a request is read from a header or from a place in the answer") {
  const CostSource header = parse_cost_source("header X-Used").value();
  CHECK(cost_in(header, {{"x-used", " 133 "}}, "") == 133);
  CHECK_FALSE(cost_in(header, {{"x-used", "many"}}, ""));
  CHECK_FALSE(cost_in(header, {}, ""));
  const CostSource body = parse_cost_source("/usage/total_tokens").value();
  CHECK(cost_in(body, {}, R"({"usage": {"total_tokens": 133}})") == 133);
  for (const char* wrong : {"", "[", "{}", R"({"usage": {"total_tokens": "1"}})", "[[[1]]]",
                            R"({"usage": {"total_tokens": -1}})",
                            R"({"usage": {"total_tokens": 1.5}})", R"({"usage": 1})"})
    CHECK_FALSE(cost_in(body, {}, wrong));
}

TEST_CASE("another place is refused") {
  for (const char* wrong : {"", "usage", "header", "header a b", "/~2"})
    CHECK_FALSE(parse_cost_source(wrong));
}
