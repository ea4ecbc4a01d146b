// Tests with a real server: keep-alive, limits by peer address, TLS and HTTP/2.
#include "http/nginx.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "http/http_spec.h"
#include "io/http/http_client.h"
#include "limiter/http_limiter.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kPatienceUs = 20'000'000;  // a busy machine is no failure

HttpSettings patient() {
  HttpSettings settings;
  settings.timeout_us = kPatienceUs;
  settings.engine = EachEngine::engine;
  return settings;
}

Task<> ask_each(HttpLimiter& limiter, const std::vector<Identity>& clients,
                std::vector<Decision>& decisions) {
  for (const Identity& client : clients) {
    Attempt attempt;
    attempt.identity = &client;
    decisions.push_back(co_await limiter.decide(attempt));
  }
}

std::vector<Decision> ask(const TargetSpec& spec, const std::vector<Identity>& clients,
                          const HttpSettings& transport = patient()) {
  const HttpTarget target = http_target_from(spec);
  const HttpSettings settings = http_settings_for(target, transport);
  Loop loop;
  const auto client = make_http_client(loop, settings);
  RequestNumbers numbers;
  HttpLimiter limiter(*client, target, numbers);
  std::vector<Decision> decisions;
  loop.run(ask_each(limiter, clients, decisions));
  return decisions;
}

std::size_t count(const std::vector<Decision>& decisions, Outcome outcome) {
  std::size_t number = 0;
  for (const Decision& decision : decisions) number += decision.outcome == outcome ? 1 : 0;
  return number;
}

// Five at once and then one per hour, for each peer address.
const char* const kLimited =
    "limit_req_zone $binary_remote_addr zone=clients:1m rate=1r/m; limit_req_status 429;\n"
    "server { listen 127.0.0.1:PORT; location / {\n"
    "  limit_req zone=clients burst=4 nodelay; root FOLDER; } }";

std::string tls_server(const Folder& folder, const std::string& answer = "return 200 ok;") {
  return "server { listen 127.0.0.1:PORT ssl http2; ssl_certificate " + folder / "cert.pem" +
         "; ssl_certificate_key " + folder / "key.pem" + "; location / { " + answer + " } }";
}

bool keep_all(std::string_view) { return true; }

std::string field_of(const HttpExchange& exchange, std::string_view name) {
  for (const HeaderField& field : exchange.fields)
    if (field.name == name) return field.value;
  return {};
}

Task<> ask_many(HttpClient& client, const HttpQuestion& question, int times,
                std::vector<HttpExchange>& exchanges) {
  for (int i = 0; i < times; ++i) exchanges.push_back(co_await client.send(question));
}

}  // namespace

TEST_CASE_FIXTURE(EachEngine, "nginx admits its burst and denies with the configured status") {
  const Nginx nginx(kLimited);
  const std::vector<Decision> decisions =
      ask(spec_for(nginx.url()), std::vector<Identity>(9, Identity{}));
  REQUIRE(decisions.size() == 9);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    CHECK(decisions[i].outcome == (i < 5 ? Outcome::allowed : Outcome::denied));
    CHECK(decisions[i].status == (i < 5 ? 200 : 429));
    CHECK(decisions[i].sent_us < decisions[i].received_us);
  }
}

TEST_CASE_FIXTURE(EachEngine,
                  "a limiter by peer address sees as many clients as source addresses") {
  const Nginx nginx(kLimited);
  TargetSpec spec = spec_for(nginx.url());
  spec.source_ip = "127.0.0.0/8";
  std::vector<Identity> clients;
  for (int i = 0; i < 24; ++i) clients.push_back({"", "", i % 3});
  const std::vector<Decision> apart = ask(spec, clients);
  CHECK(count(apart, Outcome::allowed) == 15);
  CHECK(count(apart, Outcome::denied) == 9);
}

TEST_CASE_FIXTURE(EachEngine,
                  "a connection is reused for the next request, and each user has its own") {
  const Nginx nginx(
      "server { listen 127.0.0.1:PORT; location / {\n"
      "  add_header X-Connection $connection; return 200 ok; } }");
  HttpSettings settings = patient();
  settings.keeps_field = keep_all;
  settings.kept_body_bytes = 1;
  HttpQuestion question;
  question.url = nginx.url();
  Loop loop;
  HttpPool pool(loop, settings);
  std::vector<std::vector<HttpExchange>> users(60);
  for (auto& exchanges : users)
    loop.spawn(ask_many(pool.client_for_user(), question, 4, exchanges));
  loop.run(loop.join());
  std::vector<std::string> connections;
  for (const auto& exchanges : users)
    for (const HttpExchange& exchange : exchanges) {
      CHECK(exchange.state == HttpExchange::State::replied);
      CHECK(exchange.body == "o");
      connections.push_back(field_of(exchange, "X-Connection"));
    }
  std::sort(connections.begin(), connections.end());
  const auto distinct = std::unique(connections.begin(), connections.end()) - connections.begin();
  CHECK(distinct <= 60);
  CHECK(distinct >= 2);
}

TEST_CASE_FIXTURE(EachEngine, "method, headers and body arrive with the identity filled in") {
  const Nginx nginx(
      "server { listen 127.0.0.1:PORT; location /u/ann {\n"
      "  if ($request_method != PUT) { return 405; }\n"
      "  if ($http_x_forwarded_for != \"192.0.2.7\") { return 400; }\n"
      "  if ($http_content_length != 5) { return 411; }\n"
      "  return 200 ok; }\n"
      "  location / { return 404; } }");
  TargetSpec spec = spec_for(nginx.url() + "u/<user>");
  spec.method = "PUT";
  spec.body = "id=<n>\n";
  spec.headers = {{"X-Forwarded-For", "<ip>"}};
  const std::vector<Decision> decisions = ask(spec, {{"192.0.2.7", "ann", 3},
                                                     {"192.0.2.8", "ann", 3},
                                                     {"192.0.2.7", "ann", 33},
                                                     {"192.0.2.7", "bob", 3}});
  CHECK(decisions[0].status == 200);
  CHECK(decisions[1].status == 400);
  CHECK(decisions[2].status == 411);
  CHECK(decisions[3].status == 404);
}

TEST_CASE_FIXTURE(EachEngine, "a certificate must be trusted and must belong to the host") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Nginx nginx(tls_server(folder));
  const TargetSpec spec = spec_for(nginx.url("https"));
  HttpSettings settings = patient();
  const Decision untrusted = ask(spec, {{}}, settings).front();
  CHECK(untrusted.outcome == Outcome::failed);
  CHECK(untrusted.problem.find("certificate is not trusted") != std::string::npos);
  CHECK(untrusted.sent_us == kNoTime);
  settings.tls.ca_file = folder / "cert.pem";
  CHECK(ask(spec, {{}}, settings).front().outcome == Outcome::allowed);
}

TEST_CASE_FIXTURE(EachEngine,
                  "a trusted certificate with another name is refused, unless checks are off") {
  const Folder folder;
  make_certificate(folder, "DNS:limiter.test");
  const Nginx nginx(tls_server(folder));
  const TargetSpec spec = spec_for(nginx.url("https"));
  HttpSettings settings = patient();
  settings.tls.ca_file = folder / "cert.pem";
  const Decision other = ask(spec, {{}}, settings).front();
  CHECK(other.outcome == Outcome::failed);
  CHECK(other.problem.find("certificate is not trusted") != std::string::npos);
  settings.tls.insecure = true;
  CHECK(ask(spec, {{}}, settings).front().outcome == Outcome::allowed);
}

TEST_CASE_FIXTURE(EachEngine, "HTTP/2 works over TLS for several requests") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Nginx nginx(
      tls_server(folder, "if ($server_protocol != HTTP/2.0) { return 505; } return 200 ok;"));
  HttpSettings settings = patient();
  settings.tls.ca_file = folder / "cert.pem";
  const TargetSpec spec = spec_for(nginx.url("https"));
  CHECK(ask(spec, {{}}, settings).front().status == 505);
  settings.http2 = true;
  const auto decisions = ask(spec, std::vector<Identity>(4, Identity{}), settings);
  CHECK(count(decisions, Outcome::allowed) == 4);
}

TEST_CASE_FIXTURE(EachEngine,
                  "plain HTTP to a TLS port gets an answer, TLS to a plain port does not") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  const Nginx tls(tls_server(folder));
  const Decision plain = ask(spec_for(tls.url("http")), {{}}).front();
  CHECK(plain.outcome == Outcome::unknown);
  const Nginx nginx("server { listen 127.0.0.1:PORT; location / { return 200 ok; } }");
  const Decision wrong = ask(spec_for(nginx.url("https")), {{}}).front();
  CHECK(wrong.outcome == Outcome::failed);
  CHECK_FALSE(wrong.problem.empty());
}
