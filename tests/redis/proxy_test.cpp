// The proxy that makes the way to a Redis bad, between a client and a real server.
#include "io/proxy/proxy.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/connection.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kShortUs = 300'000;

struct ByProxy {
  ByProxy() { connect(connection); }
  void connect(Connection& to) {
    Endpoint endpoint = redis.unix_endpoint();
    endpoint.detour = proxy;
    endpoint.timeout_us = kShortUs;
    redis.loop().run(to.connect(endpoint));
  }
  Exchange ask(const std::string& word) { return redis.loop().run(send(connection, word)); }

  PrivateRedis redis;
  std::shared_ptr<Proxy> proxy = std::make_shared<Proxy>(redis.loop(), 1);
  Connection connection{redis.loop()};
};

Task<> add_one(Redis& redis, std::vector<long long>& sums) {
  const Exchange exchange = co_await send(redis, "INCR", "sum");
  sums.push_back(exchange.reply.integer);
}

}  // namespace

TEST_CASE("proxy: bytes of any number come through unchanged, from a unix socket and from TCP") {
  PrivateRedis redis;
  const auto proxy = std::make_shared<Proxy>(redis.loop(), 1);
  for (Endpoint endpoint : {redis.unix_endpoint(), redis.tcp_endpoint()}) {
    endpoint.detour = proxy;
    Connection connection(redis.loop());
    redis.loop().run(connection.connect(endpoint));
    const std::string long_text(3'000'000, 'x');
    redis.loop().run(send(connection, "SET", "long", long_text));
    CHECK(redis.loop().run(send(connection, "GET", "long")).reply.text == long_text);
  }
}

TEST_CASE("proxy: a round trip takes the delay longer, and jitter does not change the order") {
  ByProxy way;
  way.proxy->set_delay(20'000, 20'000);
  const Exchange slow = way.ask("PING");
  CHECK(slow.received_us - slow.sent_us >= 20'000);
  std::vector<long long> sums;
  for (int i = 0; i < 50; ++i) way.redis.loop().spawn(add_one(way.connection, sums));
  way.redis.loop().run(way.redis.loop().join());
  REQUIRE(sums.size() == 50);
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == static_cast<long long>(i) + 1);
}

TEST_CASE("proxy: a cut resets the connections, and new ones while it refuses") {
  ByProxy way;
  CHECK(way.ask("PING").reply.text == "PONG");
  way.proxy->set_refusing(true);
  way.proxy->cut();
  CHECK(way.ask("PING").state != Exchange::State::replied);
  Connection refused(way.redis.loop());
  try {
    way.connect(refused);
  } catch (const Error&) {
  }
  CHECK(way.redis.loop().run(send(refused, "PING")).state != Exchange::State::replied);
  way.proxy->set_refusing(false);
  Connection again(way.redis.loop());
  way.connect(again);
  CHECK(way.redis.loop().run(send(again, "PING")).reply.text == "PONG");
}

TEST_CASE("proxy: half-open, nothing comes through, and at the end what is out of step is reset") {
  ByProxy way;
  way.proxy->set_deaf(true);
  CHECK(way.ask("PING").state == Exchange::State::lost);
  way.proxy->set_deaf(false);
  Connection again(way.redis.loop());
  way.connect(again);
  CHECK(way.redis.loop().run(send(again, "PING")).reply.text == "PONG");
}
