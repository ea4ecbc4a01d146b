// HTTP/2 with servers that others wrote: node's, whose answers both engines must tell alike, and
// nghttpd.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "http/nginx.h"
#include "io/http/http_client.h"
#include "real/server.h"
#include "tools/free_port.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

HttpSettings over_h2(HttpEngine engine) {
  HttpSettings settings;
  settings.http2 = true;
  settings.engine = engine;
  settings.timeout_us = 20'000'000;
  settings.kept_body_bytes = 100;
  settings.keeps_field = [](std::string_view name) {
    return name == "x-a" || name == "grpc-status";
  };
  settings.tls.insecure = true;
  return settings;
}

Task<> ask_twice(HttpClient& client, HttpQuestion question, std::vector<HttpExchange>& exchanges) {
  for (int i = 0; i < 2; ++i) exchanges.push_back(co_await client.send(question));
}

std::vector<HttpExchange> ask(HttpEngine engine, const HttpQuestion& question) {
  const HttpSettings settings = over_h2(engine);
  Loop loop;
  const auto client = make_http_client(loop, settings);
  std::vector<HttpExchange> exchanges;
  loop.run(ask_twice(*client, question, exchanges));
  return exchanges;
}

std::string told(const std::vector<HttpExchange>& exchanges) {
  std::string text;
  for (const HttpExchange& exchange : exchanges) {
    const bool replied = exchange.state == HttpExchange::State::replied;
    text += (replied ? "replied " : "not replied ") + std::to_string(exchange.status);
    if (replied) text += " " + exchange.body.substr(0, 10);
    for (const HeaderField& field : exchange.fields)
      text += " " + field.name + "=" + field.value.substr(0, 10);
    text += "\n";
  }
  return text;
}

std::string tls_url(const Server& server, const std::string& path) {
  return "https" + server.url().substr(4) + path;
}

}  // namespace

TEST_CASE("both engines tell the answers of node's HTTP/2 server alike") {
  if (!has_node_packages()) return;
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Server node({"node", RLCTL_SOURCE_DIR "/tests/real/h2_answers.js", folder / ""}, 0);
  for (const char* path : {"ok", "none", "unchanged", "denied", "hints", "twice", "empty", "slow",
                           "fails", "breaks", "hangs_up", "cut", "short", "long", "leaves"}) {
    for (const char* method : {"GET", "HEAD", "POST"}) {
      INFO(method << " " << path);
      const HttpQuestion question{tls_url(node, path), method};
      const auto own = ask(HttpEngine::own, question);
      const auto curl = ask(HttpEngine::curl, question);
      INFO("own: " << own.front().problem << "; curl: " << curl.front().problem);
      CHECK(told(own) == told(curl));
    }
  }
}

// CurlClient gets no reply to these from node, but does from nginx: why is not known.
TEST_CASE("long heads and bodies are read by the own engine") {
  if (!has_node_packages()) return;
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Server node({"node", RLCTL_SOURCE_DIR "/tests/real/h2_answers.js", folder / ""}, 0);
  const auto own = [&](const char* path) {
    return told(ask(HttpEngine::own, {tls_url(node, path)}));
  };
  CHECK(own("fields") == "replied 200 ok\nreplied 200 ok\n");
  CHECK(own("field") == "replied 200 ok x-a=vvvvvvvvvv\nreplied 200 ok x-a=vvvvvvvvvv\n");
  CHECK(own("large") == "replied 200 xxxxxxxxxx\nreplied 200 xxxxxxxxxx\n");
}

TEST_CASE("trailers are kept apart from the fields of the head") {
  if (!has_node_packages()) return;
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Server node({"node", RLCTL_SOURCE_DIR "/tests/real/h2_answers.js", folder / ""}, 0);
  const auto exchanges = ask(HttpEngine::own, {tls_url(node, "trailers")});
  REQUIRE(exchanges.size() == 2);
  for (const HttpExchange& exchange : exchanges) {
    CHECK(told({exchange}) == "replied 200 body x-a=b\n");
    REQUIRE(exchange.trailers.size() == 1);
    CHECK(exchange.trailers[0].name == "grpc-status");
    CHECK(exchange.trailers[0].value == "8");
  }
}

TEST_CASE("nghttpd is asked without TLS") {
  const Folder folder;
  folder.write("page", "text of a page");
  const std::uint16_t port = free_port();
  const Server nghttpd(
      {"nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", folder / "", std::to_string(port)}, port);
  CHECK(told(ask(HttpEngine::own, {nghttpd.url() + "page"})) ==
        "replied 200 text of a \nreplied 200 text of a \n");
  CHECK(told(ask(HttpEngine::own, {nghttpd.url() + "none"})).starts_with("replied 404 "));
}
