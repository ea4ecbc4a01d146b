// TLS with a real redis-server, and with peers that break off or behave oddly.
#include <doctest/doctest.h>

#include <atomic>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/reconnecting.h"
#include "io/tls/tls_client.h"
#include "redis/private_redis.h"
#include "redis/refusal.h"
#include "redis/tls_peer.h"
#include "tools/redis_tls.h"
#include "tools/test_authority.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// The server speaks TLS on a port of its own.
Endpoint speak_tls(PrivateRedis& redis, const TestAuthority& authority, const TlsPort& wanted) {
  Endpoint endpoint;
  endpoint.port = open_tls_port([&redis](const auto& words) { return redis.command(words).text; },
                                authority, wanted);
  endpoint.tls = std::make_shared<TlsClient>(TlsSettings{.ca_file = authority.file()});
  endpoint.timeout_us = 20'000'000;
  return endpoint;
}

Endpoint with(Endpoint endpoint, TlsSettings settings) {
  endpoint.tls = std::make_shared<TlsClient>(std::move(settings));
  return endpoint;
}

Endpoint endpoint_of(const TlsPeer& peer, const TestAuthority& authority) {
  Endpoint endpoint;
  endpoint.port = peer.port();
  endpoint.timeout_us = 20'000'000;
  return with(endpoint, {.ca_file = authority.file()});
}

Task<> echo_back(Redis& redis, std::string words, std::size_t& right) {
  const Exchange exchange = co_await send(redis, "ECHO", words);
  CAPTURE(exchange.problem);
  CHECK(exchange.state == Exchange::State::replied);
  right += exchange.reply.text == words ? 1 : 0;
}

// Asks every 10 ms, for a minute at most.
Task<bool> answered_again(Loop& loop, Redis& redis) {
  for (int attempt = 0; attempt < 6'000; ++attempt) {
    const Exchange exchange = co_await send(redis, "PING");
    if (exchange.state == Exchange::State::replied) co_return true;
    co_await loop.until(now_us() + 10'000);
  }
  co_return false;
}

// How many of so many commands at once are answered rightly.
std::size_t echoes(const Endpoint& endpoint, std::size_t count, std::size_t bytes) {
  Loop loop;
  Connection connection(loop);
  loop.run(connection.connect(endpoint));
  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i)
    loop.spawn(echo_back(connection, std::to_string(i) + std::string(bytes, 'x'), right));
  loop.run(loop.join());
  return right;
}

// Answers every ECHO of a pipeline. The commands must not contain "\r\n" in their values.
class Echoer {
 public:
  // The words of the complete commands so far.
  std::vector<std::string> words_of(const std::string& bytes) {
    in_ += bytes;
    std::vector<std::string> words;
    for (;;) {
      const std::size_t end = end_of_command();
      if (end == std::string::npos) return words;
      const std::size_t last = in_.rfind("\r\n", end - 3);
      words.push_back(in_.substr(last + 2, end - 2 - last - 2));
      in_.erase(0, end);
    }
  }

 private:
  // "*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n": as many lines as twice its words and one more.
  std::size_t end_of_command() const {
    if (in_.size() < 2) return std::string::npos;
    std::size_t at = 0;
    for (int line = 0; line < 2 * (in_[1] - '0') + 1; ++line) {
      at = in_.find("\r\n", at);
      if (at == std::string::npos) return at;
      at += 2;
    }
    return at;
  }

  std::string in_;
};

// Echoes until the client goes; `before` runs before each batch of answers.
template <typename Before>
void echo_all(TlsPeerConnection& client, Before before) {
  Echoer echoer;
  for (;;) {
    const std::string bytes = client.read();
    if (bytes.empty()) return;
    before();
    for (const std::string& word : echoer.words_of(bytes))
      client.write("$" + std::to_string(word.size()) + "\r\n" + word + "\r\n");
    if (!client.flush()) return;
  }
}

}  // namespace

TEST_CASE("commands over TLS get their answers, small, large and many at once") {
  PrivateRedis redis;
  const TestAuthority authority;
  const Endpoint endpoint = speak_tls(redis, authority, {.names = "DNS:localhost,IP:127.0.0.1"});
  CHECK(endpoint.name() == "rediss://127.0.0.1:" + std::to_string(endpoint.port));
  CHECK(echoes(endpoint, 3'000, 0) == 3'000);
  CHECK(echoes(endpoint, 40, 100'000) == 40);
  CHECK(echoes(endpoint, 2, 5'000'000) == 2);
}

TEST_CASE("a lost connection over TLS comes back over TLS") {
  PrivateRedis redis;
  const TestAuthority authority;
  const Endpoint endpoint = speak_tls(redis, authority, {});
  Reconnecting connection(redis.loop(), endpoint);
  redis.loop().run(connection.connect());
  for (int i = 0; i < 3; ++i) {
    redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    CHECK(redis.loop().run(answered_again(redis.loop(), connection)));
  }
}

TEST_CASE("the name and the address in the certificate are verified") {
  PrivateRedis redis;
  const TestAuthority authority;
  Endpoint endpoint = speak_tls(redis, authority, {.names = "DNS:cache.example,IP:127.0.0.1"});
  CHECK(refusal(endpoint).empty());
  endpoint.host = "localhost";
  CHECK(refused_with(endpoint, "the certificate is for cache.example, 127.0.0.1, not for local"));
  TlsSettings settings{.ca_file = authority.file(), .sni = "cache.example"};
  CHECK(refusal(with(endpoint, settings)).empty());
  settings.sni = "other.example";
  CHECK(refused_with(with(endpoint, settings), "not for other.example"));
  endpoint = speak_tls(redis, authority, {.names = "DNS:127.0.0.1,IP:127.0.0.2"});
  CHECK(refused_with(endpoint, "not for 127.0.0.1"));
}

TEST_CASE("a certificate that is not trusted, or has expired, is refused unless checks are off") {
  PrivateRedis redis;
  const TestAuthority authority, other;
  const Endpoint endpoint = speak_tls(redis, authority, {});
  CHECK(refused_with(with(endpoint, {.ca_file = other.file()}), "--cacert FILE"));
  CHECK(refused_with(with(endpoint, {}), "nobody who is trusted has signed"));
  CHECK(refusal(with(endpoint, {.insecure = true})).empty());
  const Endpoint old = speak_tls(redis, authority, {.days = -3});
  CHECK(refused_with(old, "the certificate of 127.0.0.1 expired on 20"));
  CHECK(refusal(with(old, {.insecure = true})).empty());
}

TEST_CASE("a client certificate is shown, and a missing or foreign one is named") {
  PrivateRedis redis;
  const TestAuthority authority, other;
  const Endpoint endpoint = speak_tls(redis, authority, {.wants_client = "yes"});
  const IssuedFiles own = authority.issue("DNS:client"), foreign = other.issue("DNS:client");
  TlsSettings settings{
      .ca_file = authority.file(), .cert_file = own.certificate, .key_file = own.key};
  CHECK(refusal(with(endpoint, settings)).empty());
  settings.cert_file = foreign.certificate;
  CHECK_THROWS_AS(with(endpoint, settings), Error);
  settings.key_file = foreign.key;
  CHECK(refused_with(with(endpoint, settings), "that its tls-ca-cert-file has signed"));
  // Whether the alert or our first command comes first is a race.
  for (int i = 0; i < 20; ++i) CHECK(refused_with(endpoint, "wants a client certificate"));
  redis.command({"CONFIG", "SET", "tls-protocols", "TLSv1.2"});
  CHECK(refused_with(endpoint, "does it want a client certificate? give --cert FILE"));
}

TEST_CASE("a server that speaks only TLS 1.1 is refused") {
  PrivateRedis redis;
  const TestAuthority authority;
  const Endpoint endpoint = speak_tls(redis, authority, {});
  redis.command({"CONFIG", "SET", "tls-protocols", "TLSv1.1"});
  CHECK(refused_with(endpoint, "can't connect to rediss://"));
}

TEST_CASE("TLS with a port of plain text, and plain text with a port of TLS, are told") {
  PrivateRedis redis;
  const TestAuthority authority;
  Endpoint endpoint = speak_tls(redis, authority, {});
  Endpoint wrong = endpoint;
  wrong.tls = nullptr;
  CHECK(refused_with(wrong, "if this port speaks TLS, write rediss://"));
  wrong = redis.tcp_endpoint();
  wrong.tls = endpoint.tls;
  wrong.timeout_us = 200'000;
  CHECK(refused_with(wrong, "try redis://, without --tls"));
}

TEST_CASE("many records in one segment are all delivered") {
  const TestAuthority authority;
  const TlsPeer peer(authority.issue("IP:127.0.0.1"), [](TlsPeerConnection& client) {
    if (client.accept()) echo_all(client, [] {});
  });
  CHECK(echoes(endpoint_of(peer, authority), 1'000, 0) == 1'000);
}

TEST_CASE("keys that the server renews delay no command") {
  const TestAuthority authority;
  const TlsPeer peer(authority.issue("IP:127.0.0.1"), [](TlsPeerConnection& client) {
    if (client.accept()) echo_all(client, [&client] { client.renew_keys(); });
  });
  CHECK(echoes(endpoint_of(peer, authority), 200, 0) == 200);
}

// More than once would be too often: OpenSSL 3 can't answer a second request while data waits.
TEST_CASE("keys that the server renews while the client's write is blocked delay no command") {
  const TestAuthority authority;
  const TlsPeer peer(authority.issue("IP:127.0.0.1"), [](TlsPeerConnection& client) {
    int batches = 0;
    const auto renew_once = [&] {
      if (++batches == 20) client.renew_keys();
    };
    if (client.accept()) echo_all(client, renew_once);
  });
  CHECK(echoes(endpoint_of(peer, authority), 200, 50'000) == 200);
}

TEST_CASE("a session is resumed with the same server and the same name only") {
  const TestAuthority authority;
  std::atomic<int> connections = 0, resumed = 0;
  const IssuedFiles files = authority.issue("DNS:localhost,IP:127.0.0.1");
  const TlsPeer peer(files, [&](TlsPeerConnection& client) {
    if (!client.accept()) return;
    resumed += client.resumed() ? 1 : 0;
    ++connections;
    echo_all(client, [] {});
  });
  Endpoint endpoint = endpoint_of(peer, authority);
  CHECK(echoes(endpoint, 1, 0) == 1);
  CHECK(echoes(endpoint, 1, 0) == 1);
  CHECK(resumed == 1);
  endpoint.host = "localhost";
  CHECK(echoes(endpoint, 1, 0) == 1);
  CHECK(resumed == 1);
  CHECK(connections == 3);
}

TEST_CASE("a handshake that is cut after any byte gives one error") {
  const TestAuthority authority;
  std::atomic<std::size_t> cut = 0;
  std::atomic<bool> agreed = false;
  const TlsPeer peer(authority.issue("IP:127.0.0.1"), [&](TlsPeerConnection& client) {
    client.cut_after(cut);
    agreed = client.accept();
  });
  const std::size_t before = open_descriptors();
  for (; !agreed && cut < 10'000; ++cut) {
    const std::string said = refusal(endpoint_of(peer, authority));
    INFO(cut.load() << " bytes: " << said);
    CHECK(said.find("the server closed the connection") != said.npos);
  }
  CHECK(cut > 500);
  CHECK(open_descriptors() <= before + 1);  // the peer may still have one
}

TEST_CASE("a handshake that never ends, ends at the deadline") {
  PrivateRedis redis;
  const TestAuthority authority;
  Endpoint endpoint = speak_tls(redis, authority, {});
  endpoint.timeout_us = 100'000;
  redis.freeze();
  CHECK(refused_with(endpoint, "no TLS answer within 100ms"));
}
