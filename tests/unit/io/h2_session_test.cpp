#include "io/http/h2_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>

#include "tools/h2_frames.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

const ResponseWishes& kept_of_all() {
  static const ResponseWishes wanted{8, [](std::string_view name) { return name != "date"; }};
  return wanted;
}

std::shared_ptr<const H2Request> request(const HttpQuestion& question) {
  RenderedRequest rendered;
  rendered.render(question);
  return std::make_shared<const H2Request>(rendered);
}

std::string told(const HttpExchange& exchange) {
  static constexpr const char* kStates[] = {"pending", "replied", "not_sent", "lost"};
  std::string text = kStates[static_cast<int>(exchange.state)];
  text += " " + std::to_string(exchange.status);
  for (const HeaderField& field : exchange.fields) text += " " + field.name + "=" + field.value;
  text += " '" + exchange.body + "'";
  for (const HeaderField& field : exchange.trailers) text += " " + field.name + "=" + field.value;
  return text + (exchange.problem.empty() ? "" : ": " + exchange.problem);
}

// A session that has sent some requests, on the streams 1, 3, 5, ….
struct Talk {
  explicit Talk(std::size_t requests = 1, const HttpQuestion& question = {"http://a/"}) {
    session.take(settings(), 1);
    for (std::size_t i = 0; i < requests; ++i) ask(question);
    send();
  }

  void ask(const HttpQuestion& question) {
    H2Stream& stream = streams.emplace_back();
    stream.exchange = &exchanges.emplace_back();
    stream.request = request(question);
    session.ask(stream);
  }

  void send(std::int64_t sent_us = 5) {
    sent = session.output(sent_us);
    session.written(sent.size());
  }

  // Its bytes in pieces of `step`.
  void hear(std::string_view bytes, std::size_t step = 1'000'000) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
      session.take(bytes.substr(0, step), 9);
      for (const H2Stream* stream : session.take_ended()) refused += stream->refused ? 1 : 0;
    }
  }

  H2Session session{kept_of_all()};
  std::deque<H2Stream> streams;
  std::deque<HttpExchange> exchanges;
  std::string sent;
  int refused = 0;
};

std::string after(std::string_view bytes, std::size_t step = 1'000'000) {
  Talk talk;
  talk.hear(bytes, step);
  return told(talk.exchanges.front());
}

}  // namespace

TEST_CASE("a request of HTTP/2 has the fields of HTTP/1.1, without those of its connection") {
  const auto asked = request({"https://b:8443/p?q",
                              "POST",
                              "text",
                              {"X-A: b", "Connection: close", "Host: c", "TE: trailers"}});
  std::string text;
  for (const HttpField& field : asked->fields())
    text += std::string(field.name) + "=" + std::string(field.value) + "\n";
  CHECK(text ==
        ":method=POST\n:scheme=https\n:authority=c\n:path=/p?q\nuser-agent=rlctl\nx-a=b\n"
        "te=trailers\ncontent-length=4\ncontent-type=application/x-www-form-urlencoded\n");
  CHECK(asked->body() == "text");
}

TEST_CASE("nothing is asked before the server's settings, and no more than they allow") {
  H2Session session(kept_of_all());
  CHECK(session.output(1).starts_with("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  CHECK_FALSE(session.is_ready());
  CHECK(session.room() == 0);
  session.take(settings(2), 1);
  CHECK(session.is_ready());
  CHECK(session.room() == 2);
  Talk talk(0);
  CHECK(talk.session.room() > 1'000);
  talk.hear(settings(3));
  talk.ask({"http://a/"});
  CHECK(talk.session.room() == 2);
  talk.hear(settings(0));
  CHECK(talk.session.room() == 0);
}

TEST_CASE("a response is its final head, its body and its trailers, wherever it is cut") {
  const std::string response = headers(1, {{":status", "103"}, {"link", "x"}}) +
                               headers(1, {{":status", "200"}, {"x-a", "b"}, {"date", "today"}}) +
                               data(1, "0123456") + data(1, "789") +
                               headers(1, {{"grpc-status", "0"}}, kEndStream);
  for (std::size_t step = 1; step < 40; ++step)
    CHECK(after(response, step) == "replied 200 x-a=b '01234567' grpc-status=0");
  Talk talk;
  CHECK(talk.exchanges.front().sent_us == 5);
  talk.hear(response);
  CHECK(talk.exchanges.front().received_us == 9);
}

TEST_CASE("a response may be a head alone, or contradict its length") {
  CHECK(after(headers(1, {{":status", "204"}}, kEndStream)) == "replied 204 ''");
  const Fields longer{{":status", "200"}, {"content-length", "5"}};
  CHECK(after(headers(1, longer) + data(1, "abc", kEndStream)).starts_with("lost 200"));
  Talk head(1, {"http://a/", "HEAD"});
  head.hear(headers(1, longer, kEndStream));
  CHECK(told(head.exchanges.front()) == "replied 200 content-length=5 ''");
}

TEST_CASE("a reset is told by its name, and one that refuses by its certainty") {
  CHECK(after(reset(1, 2)) == "lost 0 '': the server ended the stream: INTERNAL_ERROR");
  CHECK(after(headers(1, {{":status", "200"}}) + reset(1, 7)) ==
        "lost 200 '': the server ended the stream: REFUSED_STREAM");
  Talk talk;
  talk.hear(reset(1, 7));
  CHECK(talk.refused == 1);
  CHECK(told(talk.exchanges.front()) == "not_sent 0 '': the server refused the request unread");
  CHECK(talk.exchanges.front().sent_us == 0);
}

TEST_CASE("a server that goes away answers what it has accepted, and has refused the rest") {
  Talk talk(3);
  talk.hear(go_away(3, 0));
  CHECK(talk.refused == 1);
  CHECK(talk.session.in_flight() == 2);
  CHECK_FALSE(talk.session.takes_more());
  CHECK_FALSE(talk.session.is_over());
  talk.hear(headers(3, {{":status", "200"}}, kEndStream) +
            headers(1, {{":status", "429"}}, kEndStream));
  CHECK(told(talk.exchanges[0]) == "replied 429 ''");
  CHECK(told(talk.exchanges[1]) == "replied 200 ''");
  CHECK(talk.exchanges[2].state == HttpExchange::State::not_sent);
  CHECK(talk.session.is_over());
  CHECK(talk.session.problem().empty());
}

TEST_CASE("what is not HTTP/2 ends the session with words") {
  H2Session session(kept_of_all());
  session.take("HTTP/1.1 400 Bad Request\r\n\r\n", 1);
  session.written(session.output(1).size());
  CHECK(session.is_over());
  CHECK(session.problem() == "the server does not speak HTTP/2");
  Talk talk;
  talk.hear(go_away(1, 11));
  CHECK(talk.session.problem() == "the server ended the connection: ENHANCE_YOUR_CALM");
  Talk broken;
  broken.hear(frame(0, 0, 0, "data of no stream"));
  CHECK(broken.session.is_over());
  CHECK(broken.session.problem().starts_with("the reply is not valid HTTP/2"));
}

TEST_CASE("a head without end ends its stream, and no other") {
  Talk talk(2);
  Fields many{{":status", "200"}};
  const std::string value(126, 'x');
  for (int i = 0; i < 60; ++i) many.emplace_back("x-" + std::to_string(i), value);
  std::string long_head = frame(1, 0, 1, encoded(many));
  many.erase(many.begin());
  // As many CONTINUATION frames as libnghttp2 takes.
  for (int i = 0; i < 7; ++i) long_head += frame(9, i == 6 ? kEndHeaders : 0, 1, encoded(many));
  talk.hear(long_head + headers(3, {{":status", "200"}}, kEndStream));
  CHECK(talk.exchanges[0].fields.size() == kMostKeptFields);
  CHECK(told(talk.exchanges[1]) == "replied 200 ''");
}

TEST_CASE("an answer that comes before the whole request ends the sending") {
  const std::string body(200'000, 'b');
  Talk talk(1, {"http://a/", "POST", body});
  CHECK(talk.sent.size() > 60'000);
  CHECK(talk.sent.size() < body.size());
  talk.hear(headers(1, {{":status", "413"}}, kEndStream));
  CHECK(told(talk.exchanges.front()) == "replied 413 ''");
  talk.send();
  CHECK(talk.sent.find(reset(1, 8)) != std::string::npos);
  CHECK(talk.session.in_flight() == 0);
}

TEST_CASE("a request without its body goes on when the server gives room") {
  const std::string body(200'000, 'b');
  Talk talk(1, {"http://a/", "POST", body});
  std::size_t all = talk.sent.size();
  const std::string room = big_endian(100'000, 4);
  talk.hear(frame(8, 0, 0, room) + frame(8, 0, 1, room) + frame(8, 0, 0, room) +
            frame(8, 0, 1, room));
  talk.send();
  CHECK(all + talk.sent.size() > body.size());
}

TEST_CASE("a request that is cancelled hears no more, and its stream is free") {
  Talk talk(2);
  talk.session.cancel(talk.streams.front());
  talk.hear(headers(1, {{":status", "200"}}, kEndStream) +
            headers(3, {{":status", "200"}}, kEndStream));
  CHECK(talk.exchanges[0].state == HttpExchange::State::pending);
  CHECK(told(talk.exchanges[1]) == "replied 200 ''");
  CHECK(talk.session.in_flight() == 0);
}
