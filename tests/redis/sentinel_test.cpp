#include <doctest/doctest.h>

#include "base/error.h"
#include "base/suggest.h"
#include "io/clock.h"
#include "io/proxy/proxy.h"
#include "io/redis/deployment/deployment.h"
#include "redis/private_redis.h"
#include "redis/sentinel_trio.h"
#include "tools/contains.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kPatienceUs = 60'000'000;

// The first answer to SET after the master is away; a server that answers READONLY is no master.
Exchange set_until_answered(Loop& loop, Redis& redis) {
  const std::int64_t deadline_us = now_us() + kPatienceUs;
  for (;;) {
    const Exchange exchange = loop.run(send_words(redis, {"SET", "k", "2"}));
    if (exchange.reply.text == "OK" || now_us() > deadline_us) return exchange;
    loop.run(pause(loop, 20'000));
  }
}

std::string role_behind(Loop& loop, Redis& redis) {
  const Exchange role = loop.run(send_words(redis, {"ROLE"}));
  return role.reply.elements.empty() ? "" : role.reply.elements.front().text;
}

// What a person is told of a service that can't be found.
std::string told_at(Loop& loop, const std::string& url) {
  Deployment deployment(loop, parse_endpoint(url));
  loop.run(deployment.discover());
  const std::unique_ptr<RedisClient> redis = deployment.client();
  try {
    loop.run(redis->connect());
  } catch (const Error& error) {
    return with_hint(error.what(), error.hint());
  }
  return {};
}

}  // namespace

TEST_CASE("the Sentinels name the master, and a failover is followed, also if the old one hangs") {
  bool hangs = false;
  SUBCASE("the master ends") {}
  SUBCASE("the master hangs") { hangs = true; }
  CAPTURE(hangs);
  SentinelTrio servers;
  Deployment deployment(servers.loop(), parse_endpoint(servers.url()));
  servers.loop().run(deployment.discover());
  const std::unique_ptr<RedisClient> redis = deployment.client();
  servers.loop().run(redis->connect());
  CHECK(role_behind(servers.loop(), *redis) == "master");
  CHECK(servers.loop().run(send_words(*redis, {"SET", "k", "1"})).reply.text == "OK");
  CHECK(servers.ask_master({"GET", "k"}).text == "1");
  servers.loop().run(redis->look_back());
  CHECK(redis->unseen().empty());
  if (hangs)
    servers.freeze_master();
  else
    servers.end_master();
  CHECK(set_until_answered(servers.loop(), *redis).reply.text == "OK");
  CHECK(role_behind(servers.loop(), *redis) == "master");
  servers.loop().run(redis->look_back());
  CHECK(redis->unseen().find("was the master, now it is 127.0.0.1:") != std::string::npos);
}

TEST_CASE("the master that Sentinels name is reached through a proxy, and so are they") {
  SentinelTrio servers;
  const auto proxy = std::make_shared<Proxy>(servers.loop(), 1);
  Endpoint endpoint = parse_endpoint(servers.url());
  endpoint.detour = proxy;
  Deployment deployment(servers.loop(), endpoint);
  servers.loop().run(deployment.discover());
  const std::unique_ptr<RedisClient> redis = deployment.client();
  servers.loop().run(redis->connect());
  CHECK(role_behind(servers.loop(), *redis) == "master");
  proxy->set_refusing(true);
  proxy->cut();
  CHECK(servers.loop().run(send_words(*redis, {"GET", "k"})).state != Exchange::State::replied);
  proxy->set_refusing(false);
  CHECK(set_until_answered(servers.loop(), *redis).reply.text == "OK");
}

TEST_CASE("Sentinels that want a password get that of the master") {
  SentinelTrio servers("secret");
  Deployment deployment(servers.loop(), parse_endpoint(servers.url()));
  servers.loop().run(deployment.discover());
  const std::unique_ptr<RedisClient> redis = deployment.client();
  servers.loop().run(redis->connect());
  CHECK(role_behind(servers.loop(), *redis) == "master");
}

TEST_CASE("a master is not found: where no Sentinel answers, its name is not doubted") {
  PrivateRedis single;
  const std::string name = "check the name: redis-cli -h 127.0.0.1 -p ";
  const std::string away = told_at(single.loop(), "redis+sentinel://127.0.0.1:1/orders");
  CHECK(contains(away, "no Sentinel names the master 'orders'; 127.0.0.1:1: can't connect to "));
  CHECK(contains(away, "is Redis running there?"));
  CHECK_FALSE(contains(away, name));
  const NodeAddress redis{"127.0.0.1", single.tcp_endpoint().port};
  const std::string other = told_at(single.loop(), "redis+sentinel://" + redis.text() + "/orders");
  CHECK(contains(other, "this is no Sentinel"));
  CHECK_FALSE(contains(other, name));
}

TEST_CASE("a master is not found: its name is doubted if one of its Sentinels does not know it") {
  SentinelTrio servers;
  const std::string url = servers.url();
  const std::string sentinels = url.substr(0, url.rfind('/'));
  const std::string told = told_at(servers.loop(), sentinels + ",127.0.0.1:1/orders");
  CHECK(
      contains(told, "No such master with that name; check the name: redis-cli -h 127.0.0.1 -p "));
}
