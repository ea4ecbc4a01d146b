#include "io/http/http_head.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace rlctl;

namespace {

int status_of(const std::string& lines) {
  HttpHead head;
  return parse_http_head(lines + "\r\n", head);
}

int status_with(const std::string& fields) {
  return status_of("GET / HTTP/1.1\r\nHost: a\r\n" + fields);
}

struct Parsed {
  explicit Parsed(std::string text) : bytes(std::move(text)) {
    status = parse_http_head(bytes, head);
  }
  std::string bytes;
  HttpHead head;
  int status = 0;
};

}  // namespace

TEST_CASE("a request's head is split into method, path and fields") {
  const Parsed parsed(
      "POST /v4/movies?page=2 HTTP/1.1\r\nHost: a\r\nX-User-Id: \t u 1 \r\nContent-Length: "
      "7\r\n\r\n");
  REQUIRE(parsed.status == 0);
  CHECK(parsed.head.method == "POST");
  CHECK(parsed.head.target == "/v4/movies?page=2");
  CHECK(parsed.head.path == "/v4/movies");
  CHECK(parsed.head.framing.content_length == 7);
  REQUIRE(parsed.head.find("x-user-id") != nullptr);
  CHECK(parsed.head.find("x-user-id")->value == "u 1");
  CHECK(parsed.head.find("x-user") == nullptr);
}

TEST_CASE("a head object may be used again and keeps nothing") {
  HttpHead head;
  CHECK(parse_http_head("GET /a HTTP/1.0\r\nContent-Length: 5\r\n\r\n", head) == 0);
  CHECK(parse_http_head("GET /b HTTP/1.1\r\nHost: b\r\n\r\n", head) == 0);
  CHECK(head.path == "/b");
  CHECK(head.fields.size() == 1);
  CHECK(head.framing.content_length == 0);
  CHECK(head.keep_alive);
}

TEST_CASE("a request target may be an absolute URL or an asterisk") {
  const auto path_of = [](const std::string& target) {
    return std::string(Parsed("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").head.path);
  };
  CHECK(path_of("http://a/v4/movies?x=1") == "/v4/movies");
  CHECK(path_of("HTTPS://a:443/x#y") == "/x");
  CHECK(path_of("http://a") == "/");
  CHECK(path_of("http://a?x=/y") == "/");
  CHECK(path_of("*") == "*");
  CHECK(status_of("GET movies HTTP/1.1\r\nHost: a\r\n") == 400);
  CHECK(status_of("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n") == 400);
}

TEST_CASE("the connection is kept or closed as version and fields say") {
  const auto keeps = [](const std::string& version, const std::string& fields) {
    const Parsed parsed("GET / HTTP/" + version + "\r\nHost: a\r\n" + fields + "\r\n");
    return parsed.status == 0 && parsed.head.keep_alive;
  };
  CHECK(keeps("1.1", ""));
  CHECK_FALSE(keeps("1.1", "Connection: Close\r\n"));
  CHECK_FALSE(keeps("1.1", "Connection: x, close\r\n"));
  CHECK_FALSE(keeps("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  CHECK_FALSE(keeps("1.0", ""));
  CHECK(keeps("1.0", "Connection: Keep-Alive\r\n"));
}

TEST_CASE("an invalid request line is refused") {
  CHECK(status_of("GET /\r\nHost: a\r\n") == 400);
  CHECK(status_of("GET / \r\nHost: a\r\n") == 400);
  CHECK(status_of("GET  / HTTP/1.1\r\nHost: a\r\n") == 400);
  CHECK(status_of("G\x01T / HTTP/1.1\r\nHost: a\r\n") == 400);
  CHECK(status_of("GET /\xff HTTP/1.1\r\nHost: a\r\n") == 400);
  CHECK(status_of("GET / http/1.1\r\nHost: a\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1x\r\nHost: a\r\n") == 400);
  CHECK(status_of("GET / HTTP/2.0\r\nHost: a\r\n") == 505);
  CHECK(status_of("GET / HTTP/1.2\r\nHost: a\r\n") == 505);
}

TEST_CASE("fields that two parsers could read differently are refused") {
  CHECK(status_with("") == 0);
  CHECK(status_of("GET / HTTP/1.1\r\n") == 400);  // the host is missing
  CHECK(status_of("GET / HTTP/1.0\r\n") == 0);
  CHECK(status_with("Host: b\r\n") == 400);
  CHECK(status_with("X-A : 1\r\n") == 400);
  CHECK(status_with("X-A: 1\r\n folded\r\n") == 400);
  CHECK(status_with("no colon\r\n") == 400);
  CHECK(status_with(": no name\r\n") == 400);
  CHECK(status_with("X-A: a\rb\r\n") == 400);
  CHECK(status_with(std::string("X-A: a\0b\r\n", 11)) == 400);
  CHECK(status_with("X-A: \x80\xff\r\n") == 0);
}

TEST_CASE("a body has exactly one length") {
  CHECK(status_with("Content-Length: 5\r\nContent-Length: 5\r\n") == 0);
  CHECK(status_with("Content-Length: 5\r\nContent-Length: 6\r\n") == 400);
  CHECK(status_with("Content-Length: 5, 5\r\n") == 400);
  CHECK(status_with("Content-Length: +5\r\n") == 400);
  CHECK(status_with("Content-Length: -5\r\n") == 400);
  CHECK(status_with("Content-Length: 0x5\r\n") == 400);
  CHECK(status_with("Content-Length: \r\n") == 400);
  CHECK(status_with("Content-Length: 99999999999999999999\r\n") == 400);
  CHECK(status_with("Transfer-Encoding: Chunked\r\n") == 0);
  CHECK(status_with("Transfer-Encoding: gzip, chunked\r\n") == 501);
  CHECK(status_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") == 501);
  CHECK(status_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n") == 400);
  CHECK(status_with("Expect: 100-Continue\r\n") == 0);
  CHECK(status_with("Expect: a miracle\r\n") == 417);
}

TEST_CASE("more than a hundred fields are too many") {
  std::string fields;
  for (std::size_t i = 0; i + 1 < kMostFields; ++i) fields += "X-A: 1\r\n";
  CHECK(status_with(fields) == 0);
  CHECK(status_with(fields + "X-A: 1\r\n") == 431);
}

TEST_CASE("a head ends at its empty line, at any cut") {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
  CHECK(find_head_end(bytes) == bytes.size() - 3);
  CHECK(find_head_end("GET / HTTP/1.1\nHost: a\n\n") == 24);
  for (std::size_t cut = 0; cut + 3 < bytes.size(); ++cut) {
    CHECK(find_head_end(bytes.substr(0, cut)) == std::string::npos);
    CHECK(find_head_end(bytes, cut < 2 ? 0 : cut - 2) == bytes.size() - 3);
  }
}

TEST_CASE("any input is read or refused, and all views stay inside the buffer") {
  std::mt19937 random(7);
  const std::string good =
      "POST http://a:80/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n"
      "Connection: a, keep-alive\r\n\r\n";
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (std::size_t n = random() % 4; n > 0; --n) {
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0) bytes.erase(at, random() % 20);
      if (bytes.empty()) break;
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      if (random() % 3 == 0) bytes.insert(at % bytes.size(), 1, "\r\n :\t\0"[random() % 6]);
    }
    HttpHead head;
    if (parse_http_head(bytes, head) != 0) continue;
    ++read;
    std::size_t inside = head.method.size() + head.target.size();
    for (const HttpField& field : head.fields) inside += field.name.size() + field.value.size();
    CHECK(inside < bytes.size());
    CHECK(!head.path.empty());
  }
  CHECK(read > 0);
}
