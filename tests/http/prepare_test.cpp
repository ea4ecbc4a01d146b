// Connections that are opened before the first request needs one.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "http/nginx.h"
#include "http/peer.h"
#include "io/http/http_client.h"
#include "io/http/rendered_request.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

HttpSettings unhurried() {
  HttpSettings settings;
  settings.timeout_us = 20'000'000;
  settings.kept_body_bytes = 1'000;
  settings.tls.insecure = true;
  return settings;
}

Task<> ask(HttpClient& client, HttpQuestion question, std::vector<HttpExchange>& exchanges) {
  exchanges.push_back(co_await client.send(question));
}

std::shared_ptr<const HttpPlace> place_of(const std::string& url) {
  RenderedRequest request;
  request.render({url});
  return request.place();
}

// Each of them asks once, all at the same time.
struct Users {
  Loop loop;
  HttpPool pool;
  std::vector<HttpClient*> clients;
  std::vector<HttpExchange> exchanges;

  explicit Users(int count, const HttpSettings& settings = unhurried()) : pool(loop, settings) {
    while (count-- > 0) clients.push_back(&pool.client_for_user());
  }
  void prepare(const std::string& url, std::size_t connections) {
    loop.run(pool.prepare(place_of(url), connections));
  }
  void ask_all(const std::string& url) {
    for (HttpClient* client : clients) loop.spawn(ask(*client, {url}, exchanges));
    loop.run(loop.join());
  }
};

struct Counts {
  int connections = 0;
  int requests = 0;
};

// What nginx has accepted and answered, without the question for it, which is on a connection of
// its own. Nginx accepts connections in their order.
Counts counted_by(const std::string& url) {
  Users one(1);
  one.ask_all(url + "status");
  REQUIRE(one.exchanges.at(0).status == 200);
  const std::string& body = one.exchanges[0].body;
  const std::vector<std::string> words = split(body.substr(body.find("requests")), ' ');
  return {std::stoi(words.at(1)) - 1, std::stoi(words.at(3)) - 1};
}

void answer_all(PeerConnection& connection) {
  while (connection.read_request() && connection.write(response(200))) {
  }
}

}  // namespace

TEST_CASE("prepare: nginx has accepted all connections before the first request") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const std::string place = " location /status { stub_status; } location / { return 200 ok; } }";
  const std::string tls =
      " ssl_certificate " + folder / "cert.pem" + "; ssl_certificate_key " + folder / "key.pem;";
  HttpSettings settings = unhurried();
  std::string scheme = "http";
  std::string listen = "server { listen 127.0.0.1:PORT";
  int expected = 120;
  SUBCASE("HTTP/1.1") { listen += ";"; }
  SUBCASE("HTTP/1.1 over TLS") {
    listen += " ssl;" + tls;
    scheme = "https";
  }
  SUBCASE("HTTP/2 over TLS: one for each 50 users") {
    listen += " ssl http2;" + tls;
    scheme = "https";
    settings.http2 = true;
    expected = 3;
  }
  const Nginx nginx(listen + place);
  const std::string url = nginx.url(scheme);
  const Counts before = counted_by(url);
  Users users(120, settings);
  users.prepare(url, 120);
  const Counts prepared = counted_by(url);
  CHECK(prepared.connections - before.connections == expected + 1);  // and that of `before`
  CHECK(prepared.requests - before.requests == 1);
  users.ask_all(url);
  REQUIRE(users.exchanges.size() == 120);
  for (const HttpExchange& exchange : users.exchanges) CHECK(exchange.status == 200);
  const Counts after = counted_by(url);
  CHECK(after.connections - prepared.connections == 1);
  CHECK(after.requests - prepared.requests == 121);
}

TEST_CASE("prepare: of HTTP/2 without TLS, too") {
  const Nginx nginx(
      "server { listen 127.0.0.1:PORT http2; location / { return 200 $connection; } }");
  HttpSettings settings = unhurried();
  settings.http2 = true;
  Users users(50, settings);
  users.prepare(nginx.url(), 50);
  users.ask_all(nginx.url());
  REQUIRE(users.exchanges.size() == 50);
  for (const HttpExchange& exchange : users.exchanges) {
    CHECK(exchange.status == 200);
    CHECK(exchange.body == users.exchanges[0].body);
  }
}

TEST_CASE("prepare: what cannot be opened is told by the request") {
  std::string url;
  {
    const Peer gone(answer_all);
    url = gone.url();
  }
  HttpSettings settings = unhurried();
  SUBCASE("HTTP/1.1") {}
  SUBCASE("HTTP/2") { settings.http2 = true; }
  SUBCASE("libcurl") { settings.engine = HttpEngine::curl; }
  Users users(3, settings);
  users.prepare(url, 3);
  users.ask_all(url);
  REQUIRE(users.exchanges.size() == 3);
  for (const HttpExchange& exchange : users.exchanges) {
    CHECK(exchange.state == HttpExchange::State::not_sent);
    CHECK(exchange.problem.find("connection refused") != std::string::npos);
  }
}

TEST_CASE("prepare: a server that hangs up before it is asked loses no request") {
  std::atomic<int> connections = 0;
  std::atomic<int> ended = 0;
  const Peer peer([&](PeerConnection& connection) {
    if (connections++ >= 20) return answer_all(connection);
    connection.reset();
    ++ended;
  });
  Users users(20);
  users.prepare(peer.url(), 20);
  while (ended < 20) std::this_thread::yield();
  users.ask_all(peer.url());
  REQUIRE(users.exchanges.size() == 20);
  for (const HttpExchange& exchange : users.exchanges) CHECK(exchange.status == 200);
}

TEST_CASE("prepare: libcurl opens connections when it needs them") {
  const Peer peer(answer_all);
  HttpSettings settings = unhurried();
  settings.engine = HttpEngine::curl;
  Users users(4, settings);
  users.prepare(peer.url(), 4);
  CHECK(peer.connections() == 0);
  users.ask_all(peer.url());
  REQUIRE(users.exchanges.size() == 4);
  for (const HttpExchange& exchange : users.exchanges) CHECK(exchange.status == 200);
}
