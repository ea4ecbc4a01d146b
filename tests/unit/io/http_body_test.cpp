#include "io/http/http_body.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl;

namespace {

MessageFraming chunked() {
  MessageFraming framing;
  framing.chunked = true;
  return framing;
}

MessageFraming of_length(std::uint64_t length) {
  MessageFraming framing;
  framing.content_length = length;
  return framing;
}

// How many bytes the body took, a piece of `step` bytes at a time.
std::size_t take_all(HttpBody& body, std::string_view bytes, std::size_t step) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !body.done() && body.status() == 0)
    taken += body.take(bytes.substr(taken, step));
  return taken;
}

}  // namespace

TEST_CASE("without a length there is no body") {
  HttpBody body;
  CHECK(body.start({}) == 0);
  CHECK(body.done());
  CHECK(body.take("GET /") == 0);
}

TEST_CASE("a body with a length leaves the bytes after it") {
  HttpBody body;
  CHECK(body.start(of_length(5)) == 0);
  CHECK(body.take("abc") == 3);
  CHECK_FALSE(body.done());
  CHECK(body.take("deGET /") == 2);
  CHECK(body.done());
}

TEST_CASE("a chunked body ends after its trailers, at any cut") {
  const std::string bytes = "5;ext=1\r\nhello\r\n0A \r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n";
  REQUIRE_FALSE(bytes.empty());
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    HttpBody body;
    CHECK(body.start(chunked()) == 0);
    CHECK(take_all(body, bytes + "GET /", step) == bytes.size());
    CHECK(body.done());
    CHECK(body.status() == 0);
  }
}

TEST_CASE("invalid chunks are refused") {
  for (const char* bytes : {"\r\n", "x\r\n", "-1\r\n", "5:\r\n", "1\r\nab\r\n"}) {
    HttpBody body;
    body.start(chunked());
    body.take(bytes);
    CHECK_MESSAGE(body.status() == 400, bytes);
  }
}

TEST_CASE("chunk lines that two programs may read differently are refused") {
  using namespace std::string_view_literals;
  for (const std::string_view bytes : {"5\r\r;x"sv,
                                       "5\n"sv,
                                       "5\rx"sv,
                                       "5 zz"sv,
                                       "5 5"sv,
                                       ";x"sv,
                                       " 5"sv,
                                       "5;x\n"sv,
                                       "5;x\ry"sv,
                                       "5;\0"sv,
                                       "5;\x7f"sv,
                                       "1\r\na\n"sv,
                                       "1\r\na\r\r"sv,
                                       "0\r\n\n"sv,
                                       "0\r\nX-T: \0"sv,
                                       "0\r\nX-T: 1\n"sv,
                                       "0\r\nX-T: 1\rY"sv,
                                       "0\r\nX T: 1"sv,
                                       "0\r\nX-T\r\n"sv,
                                       "0\r\n folded"sv,
                                       "0\r\n: 1"sv}) {
    HttpBody body;
    body.start(chunked());
    body.take(bytes);
    CHECK_MESSAGE(body.status() == 400, bytes);
  }
}

TEST_CASE("a body of more than a megabyte is refused, in every encoding") {
  HttpBody body;
  CHECK(body.start(of_length(kMostBodyBytes)) == 0);
  CHECK(body.start(of_length(kMostBodyBytes + 1)) == 413);
  CHECK(body.start(chunked()) == 0);
  body.take("100001\r\n");
  CHECK(body.status() == 413);
  body.start(chunked());
  body.take("ffffffffffffffffffff\r\n");
  CHECK(body.status() == 413);
  body.start(chunked());
  const std::string endless(kMostBodyBytes + 100, 'x');
  body.take("1;");
  body.take(endless);
  CHECK(body.status() == 413);
}
