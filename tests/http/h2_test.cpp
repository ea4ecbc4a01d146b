// HTTP/2 by our own engine, against a real nginx and peers that say what they like.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <utility>

#include "http/nginx.h"
#include "http/peer.h"
#include "io/http/http_client.h"
#include "tools/h2_frames.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

HttpSettings over_h2(std::int64_t timeout_us = 20'000'000) {
  HttpSettings settings;
  settings.http2 = true;
  settings.timeout_us = timeout_us;
  settings.kept_body_bytes = 100;
  settings.keeps_field = [](std::string_view name) { return name == "x-a"; };
  return settings;
}

Task<> ask_often(HttpClient& client, HttpQuestion question, int times,
                 std::vector<HttpExchange>& exchanges) {
  for (int i = 0; i < times; ++i) exchanges.push_back(co_await client.send(question));
}

// Each of the users asks so often, one request after the other.
std::vector<HttpExchange> ask(const HttpQuestion& question, int users = 1, int times = 1,
                              const HttpSettings& settings = over_h2()) {
  Loop loop;
  const auto client = make_http_client(loop, settings);
  std::vector<HttpExchange> exchanges;
  for (int i = 0; i < users; ++i) loop.spawn(ask_often(*client, question, times, exchanges));
  loop.run(loop.join());
  return exchanges;
}

// A server of HTTP/2 without TLS whose location has this content.
std::string plain_server(const std::string& location, const std::string& more = "") {
  return "server { listen 127.0.0.1:PORT http2; " + more + " location / { " + location + " } }";
}

// The kinds of what they say, if all are replies.
std::set<std::string> bodies(const std::vector<HttpExchange>& exchanges) {
  std::set<std::string> kinds;
  for (const HttpExchange& exchange : exchanges) {
    CHECK(exchange.problem == "");
    CHECK(exchange.state == HttpExchange::State::replied);
    CHECK(exchange.sent_us > 0);
    CHECK(exchange.received_us >= exchange.sent_us);
    kinds.insert(exchange.body);
  }
  return kinds;
}

// It ends like a head, so that a peer knows when it has all of it.
HttpQuestion marked(const Peer& peer) { return {peer.url(), "POST", "\r\n\r\n"}; }

// Up to the end of a marked request, after the two parts of the preface.
bool read_first_request(PeerConnection& connection) {
  if (!connection.read_request() || !connection.read_request()) return false;
  return connection.write(settings()) && connection.read_request();
}

const std::string kOk = headers(1, {{":status", "200"}}, kEndStream);

}  // namespace

TEST_CASE("users share a connection as far as the server allows") {
  const Nginx roomy(plain_server("return 200 $connection;"));
  CHECK(bodies(ask({roomy.url()}, 50, 4)).size() == 1);
  const Nginx narrow(plain_server("return 200 $connection;", "http2_max_concurrent_streams 10;"));
  const auto exchanges = ask({narrow.url()}, 35, 4);
  CHECK(exchanges.size() == 140);
  const std::size_t connections = bodies(exchanges).size();
  CHECK(connections >= 2);
  CHECK(connections <= 35);
}

TEST_CASE("each source address has a connection of its own") {
  const Nginx nginx(plain_server("return 200 $remote_addr;"));
  Loop loop;
  const HttpSettings settings = over_h2();
  const auto client = make_http_client(loop, settings);
  std::vector<HttpExchange> exchanges;
  for (const char* address : {"127.0.0.2", "127.0.0.3"})
    loop.spawn(ask_often(*client, {nginx.url(), "GET", "", {}, address}, 3, exchanges));
  loop.run(loop.join());
  CHECK(bodies(exchanges) == std::set<std::string>{"127.0.0.2", "127.0.0.3"});
}

TEST_CASE("a server that ends its connections after some requests loses none") {
  const Nginx nginx(plain_server("return 200 ok;", "keepalive_requests 100;"));
  const auto exchanges = ask({nginx.url()}, 50, 40);
  CHECK(exchanges.size() == 2'000);
  CHECK(bodies(exchanges) == std::set<std::string>{"ok"});
}

TEST_CASE("large bodies go both ways") {
  const Nginx nginx(plain_server("root FOLDER;"));
  nginx.folder().write("large", std::string(40'000'000, 'x'));
  CHECK(bodies(ask({nginx.url() + "large"}, 3)) == std::set<std::string>{std::string(100, 'x')});
  const Nginx takes(
      plain_server("proxy_pass http://unix:FOLDER/other;", "client_max_body_size 0;") +
      "server { listen unix:FOLDER/other; return 200 $content_length; }");
  CHECK(bodies(ask({takes.url(), "POST", std::string(3'000'000, 'y')}, 3)) ==
        std::set<std::string>{"3000000"});
}

TEST_CASE("a server without HTTP/2 gets no request") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Nginx plain("server { listen 127.0.0.1:PORT; location / { return 200; } }");
  const Nginx tls("server { listen 127.0.0.1:PORT ssl; ssl_certificate " + folder / "cert.pem" +
                  "; ssl_certificate_key " + folder / "key.pem" + "; return 200; }");
  HttpSettings settings = over_h2();
  settings.tls.insecure = true;
  for (const auto& [url, problem] :
       {std::pair(plain.url(), "the server does not speak HTTP/2"),
        std::pair(tls.url("https"), "the server does not offer HTTP/2")}) {
    const auto exchanges = ask({url}, 3, 1, settings);
    REQUIRE(exchanges.size() == 3);
    for (const HttpExchange& exchange : exchanges) {
      CHECK(exchange.state == HttpExchange::State::not_sent);
      CHECK(exchange.problem.find(problem) != std::string::npos);
      CHECK(exchange.sent_us == 0);
    }
  }
}

TEST_CASE("a request that was refused unread is asked once more, on a new connection") {
  std::atomic<int> connections = 0;
  const Peer peer([&](PeerConnection& connection) {
    const bool first = ++connections == 1;
    if (!read_first_request(connection)) return;
    connection.write(first ? go_away(0, 0) : kOk);
    connection.hang();
  });
  const HttpExchange exchange = ask(marked(peer)).front();
  CHECK(exchange.state == HttpExchange::State::replied);
  CHECK(exchange.status == 200);
  CHECK(connections == 2);
}

TEST_CASE("a server that refuses twice has certainly not counted the request") {
  const Peer peer([](PeerConnection& connection) {
    if (!read_first_request(connection)) return;
    connection.write(reset(1, 7));
    if (connection.read_request()) connection.write(reset(3, 7));
    connection.hang();
  });
  const HttpExchange exchange = ask(marked(peer)).front();
  CHECK(exchange.state == HttpExchange::State::not_sent);
  CHECK(exchange.problem == "the server refused the request unread");
  CHECK(exchange.sent_us == 0);
  CHECK(peer.connections() == 1);
}

TEST_CASE("what was sent and has no whole answer is lost") {
  const auto lost = [](const std::string& bytes, bool hangs = false) {
    const Peer peer([&](PeerConnection& connection) {
      if (!read_first_request(connection)) return;
      connection.write(bytes);
      if (hangs) connection.hang();
    });
    const auto settings = over_h2(hangs ? 300'000 : 20'000'000);
    const HttpExchange exchange = ask(marked(peer), 1, 1, settings).front();
    CHECK(exchange.state == HttpExchange::State::lost);
    CHECK(exchange.sent_us > 0);
    CHECK(exchange.received_us == 0);
    return exchange.problem;
  };
  const std::string head = headers(1, {{":status", "200"}});
  CHECK(lost("", true) == "no reply within 300ms");
  CHECK(lost(head, true) == "no reply within 300ms");
  CHECK(lost(go_away(1, 2)) == "the server ended the connection: INTERNAL_ERROR");
  CHECK(lost(reset(1, 11)) == "the server ended the stream: ENHANCE_YOUR_CALM");
  CHECK(lost(frame(9, 0, 1, "")) == "the reply is not valid HTTP/2");
  CHECK(lost("") == "the server closed the connection without a reply");
  CHECK(lost(head) == "the reply was cut short");
}

TEST_CASE("a connection that was silent for too long gets no other request") {
  std::atomic<int> connections = 0;
  const Peer peer([&](PeerConnection& connection) {
    const bool first = ++connections == 1;
    if (!read_first_request(connection)) return;
    if (!first) connection.write(kOk);
    connection.hang();
  });
  const auto exchanges = ask(marked(peer), 1, 2, over_h2(300'000));
  CHECK(exchanges[0].state == HttpExchange::State::lost);
  CHECK(exchanges[1].state == HttpExchange::State::replied);
  CHECK(connections == 2);
}

TEST_CASE("a server that never speaks gets no request in time") {
  const Peer peer([](PeerConnection& connection) { connection.hang(); });
  const auto exchanges = ask({peer.url()}, 3, 2, over_h2(200'000));
  REQUIRE(exchanges.size() == 6);
  for (const HttpExchange& exchange : exchanges) {
    CHECK(exchange.state == HttpExchange::State::not_sent);
    CHECK(exchange.problem == "no connection within 200ms");
  }
}
