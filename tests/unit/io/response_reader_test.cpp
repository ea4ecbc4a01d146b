#include "io/http/response_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace rlctl;

namespace {

ResponseWishes wishes() {
  ResponseWishes wanted;
  wanted.kept_body_bytes = 8;
  wanted.keeps_field = [](std::string_view name) {
    return name.starts_with("X-") || name == "Date";
  };
  wanted.keeps_lone_date = false;
  return wanted;
}

// The response as text: status, fields, body; then what became of it and how many bytes follow it.
std::string read(std::string_view bytes, std::size_t step, bool head_only) {
  HttpExchange exchange;
  ResponseReader reader;
  reader.begin(exchange, head_only);
  std::size_t taken = 0;
  while (taken < bytes.size() && !reader.done() && reader.problem().empty())
    taken += reader.take(bytes.substr(taken, step), wishes());
  const bool early = reader.done();
  if (!early && reader.problem().empty()) reader.end_stream();
  std::string text = std::to_string(exchange.status);
  for (const HeaderField& field : exchange.fields) text += " " + field.name + "=" + field.value;
  text += " '" + exchange.body + "'";
  if (!reader.problem().empty()) return text + " wrong: " + reader.problem();
  if (!reader.done()) return text + " cut";
  if (!early) return text + " up to the end";
  return text + (reader.keeps_alive() ? " keeps" : " closes") + ", " +
         std::to_string(bytes.size() - taken) + " more";
}

// The same at every cut.
std::string read(std::string_view bytes, bool head_only = false) {
  const std::string whole = read(bytes, bytes.size() + 1, head_only);
  for (std::size_t step = 1; step <= bytes.size(); ++step)
    CHECK(read(bytes, step, head_only) == whole);
  return whole;
}

std::string ok(const std::string& rest) { return read("HTTP/1.1 200 OK\r\n" + rest); }

}  // namespace

TEST_CASE("a response ends by its length, its last chunk or the end of the connection") {
  CHECK(ok("Content-Length: 5\r\n\r\nhelloHTTP/1.1") == "200 'hello' keeps, 8 more");
  CHECK(ok("Content-Length: 0\r\n\r\n") == "200 '' keeps, 0 more");
  CHECK(ok("\r\nup to the") == "200 'up to th' up to the end");
  CHECK(ok("Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n02\r\nlo\r\n0\r\nX-T: 1\r\n\r\nx") ==
        "200 'hello' keeps, 1 more");
  CHECK(ok("Content-Length: 5\r\n\r\nhell") == "200 'hell' cut");
  CHECK(ok("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n") == "200 'hello' cut");
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Le") == "200 '' cut");
  CHECK(read("HTTP/1.1 20") == "0 '' cut");
}

TEST_CASE("a Date is kept only beside another field, unless it is wanted alone") {
  const std::string end = "Content-Length: 0\r\n\r\n";
  CHECK(ok("Date: a\r\n" + end) == "200 '' keeps, 0 more");
  CHECK(ok("Date: a\r\nX-B: c\r\n" + end) == "200 X-B=c Date=a '' keeps, 0 more");
  CHECK(ok("X-B: c\r\nDate: a\r\n" + end) == "200 X-B=c Date=a '' keeps, 0 more");
  ResponseWishes wanted = wishes();
  wanted.keeps_lone_date = true;
  HttpExchange exchange;
  ResponseReader reader;
  reader.begin(exchange, false);
  reader.take("HTTP/1.1 200 OK\r\nDate: a\r\n" + end, wanted);
  REQUIRE(exchange.fields.size() == 1);
  CHECK(exchange.fields.front().value == "a");
}

TEST_CASE("some responses have no body, whatever their fields say") {
  const std::string fields = "Content-Length: 5\r\n\r\n";
  CHECK(read("HTTP/1.1 204 No\r\n" + fields) == "204 '' keeps, 0 more");
  CHECK(read("HTTP/1.1 304 No\r\n" + fields) == "304 '' keeps, 0 more");
  CHECK(read("HTTP/1.1 200 OK\r\n" + fields, true) == "200 '' keeps, 0 more");
  CHECK(read("HTTP/1.1 200 OK\r\n\r\n", true) == "200 '' keeps, 0 more");
}

TEST_CASE("interim responses are skipped with their fields") {
  CHECK(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX-A: b\r\n\r\nHTTP/1.1 429 No\r\n"
             "X-C: d\r\nContent-Length: 2\r\n\r\nno") == "429 X-C=d 'no' keeps, 0 more");
  CHECK(read("HTTP/1.1 100 Continue\r\n\r\n") == "100 '' cut");
  CHECK(read("HTTP/1.1 101 Change\r\n\r\n") ==
        "101 '' wrong: it changes to another protocol, which nobody asked for");
}

TEST_CASE("fields are kept if asked for, and folded lines belong to them") {
  CHECK(ok("X-A:\t b \r\nNo: 1\r\nX-B: one\r\n \t two\r\n  three \r\nX-C:\r\nContent-Length:\r\n "
           "0\r\n"
           "\r\n") == "200 X-A=b X-B=one two three X-C= '' keeps, 0 more");
  CHECK(read("HTTP/1.1 200 OK\nX-A: b\nContent-Length: 2\n\nok") == "200 X-A=b 'ok' keeps, 0 more");
}

TEST_CASE("a connection is kept as the version and the fields say") {
  const std::string empty = "Content-Length: 0\r\n\r\n";
  CHECK(ok("Connection: Close\r\n" + empty) == "200 '' closes, 0 more");
  CHECK(ok("Connection: x, close\r\n" + empty) == "200 '' closes, 0 more");
  CHECK(read("HTTP/1.0 200 OK\r\n" + empty) == "200 '' closes, 0 more");
  CHECK(read("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + empty) == "200 '' keeps, 0 more");
  CHECK(ok("Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") ==
        "200 '' closes, 0 more");
}

TEST_CASE("what is no response is told in words, escaped, as soon as it shows") {
  CHECK(read("+PONG\r\n", 1, false) == "0 '' wrong: it begins with '+'");
  CHECK(read("\x15\x03", 1, false) == "0 '' wrong: it begins with '\\x15'");
  CHECK(read("HTTP/1.1 2x0 OK\r\n\r\n") == "0 '' wrong: it begins with 'HTTP/1.1 2x0 OK'");
  CHECK(ok("no colon\r\n\r\n") == "200 '' wrong: a header has no colon");
  CHECK(ok("Content-Length: -5\r\n\r\n") == "200 '' wrong: it has 'Content-Length': '-5'");
  CHECK(ok("Content-Length: 1\r\nContent-Length: 2\r\n\r\n") ==
        "200 '' wrong: it has 'Content-Length': '2'");
  CHECK(ok("Transfer-Encoding: br\r\n\r\n") == "200 '' wrong: it has 'Transfer-Encoding': 'br'");
  CHECK(ok("Transfer-Encoding: chunked\r\n\r\nhello") == "200 '' wrong: its chunks are not valid");
}

TEST_CASE("a head without an end is given up") {
  HttpExchange exchange;
  ResponseReader reader;
  reader.begin(exchange, false);
  reader.take("HTTP/1.1 200 OK\r\n", wishes());
  for (int i = 0; i < 400 && reader.problem().empty(); ++i)
    reader.take("X-Long: " + std::string(1'000, 'x') + "\r\n", wishes());
  CHECK(reader.problem() == "its head is too long");
}
