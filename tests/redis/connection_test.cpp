#include "io/redis/connection.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Task<> echo(Redis& redis, int number, std::vector<int>& order) {
  const Exchange exchange = co_await send(redis, "ECHO", std::to_string(number));
  CHECK(exchange.reply.text == std::to_string(number));
  CHECK(exchange.sent_us <= exchange.received_us);
  order.push_back(number);
}

Task<> keep(Redis& redis, std::vector<std::string> words, std::vector<Exchange>& exchanges) {
  exchanges.push_back(co_await send_words(redis, std::move(words)));
}

Task<> thaw_after(Loop& loop, const PrivateRedis& redis, std::int64_t delay_us) {
  co_await loop.until(now_us() + delay_us);
  redis.thaw();
}

Task<> connect_and_ping(Connection& connection, Endpoint endpoint, int& pongs) {
  co_await connection.connect(std::move(endpoint));
  const Exchange pong = co_await send(connection, "PING");
  pongs += pong.reply.text == "PONG" ? 1 : 0;
}

// The first answer closes the connection, whose other answers have already arrived.
Task<> close_at_answer(Connection& connection, std::vector<Exchange>& later) {
  co_await send(connection, "ECHO", "first");
  connection.close("enough");
  later.push_back(co_await send(connection, "ECHO", "after the end"));
}

Task<> reconnect_at_answer(Connection& connection, Endpoint endpoint, std::string& answer) {
  co_await send(connection, "ECHO", "first");
  connection.close("again");
  co_await connection.connect(std::move(endpoint));
  answer = (co_await send(connection, "ECHO", "second")).reply.text;
}

// A virtual user that repeats its request again and again, whatever the answer is.
Task<> insist(Loop& loop, Redis& redis, std::int64_t until_us, int& failures) {
  while (now_us() < until_us && !loop.interrupted())
    failures += (co_await send(redis, "PING")).state == Exchange::State::not_sent ? 1 : 0;
}

Task<> wake(Loop& loop, std::int64_t at_us, int failures_before, const int& failures, bool& woke) {
  co_await loop.until(at_us);
  woke = failures > failures_before;
}

// 500 connections need more descriptors than some shells allow.
void allow_many_descriptors() {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

void connect_500(Loop& loop, const Endpoint& endpoint) {
  std::vector<std::unique_ptr<Connection>> connections;
  int pongs = 0;
  for (int i = 0; i < 500; ++i) {
    connections.push_back(std::make_unique<Connection>(loop));
    loop.spawn(connect_and_ping(*connections.back(), endpoint, pongs));
  }
  loop.run(loop.join());
  CHECK(pongs == 500);
}

}  // namespace

TEST_CASE("each command gets its own answer, in order") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  std::vector<int> order;
  for (int i = 0; i < 2'000; ++i) redis.loop().spawn(echo(connection, i, order));
  redis.loop().run(redis.loop().join());
  CHECK(order.size() == 2'000);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a reply of megabytes arrives complete") {
  PrivateRedis redis;
  const std::string value(3'000'000, 'v');
  CHECK(redis.command({"SET", "large", value}).text == "OK");
  CHECK(redis.command({"GET", "large"}).text == value);
  const Reply both = redis.command({"MGET", "large", "none", "large"});
  REQUIRE(both.elements.size() == 3);
  CHECK(both.elements[1].is_nil());
  CHECK(both.elements[2].text == value);
}

TEST_CASE("a command larger than the socket buffer waits and is sent complete") {
  PrivateRedis redis;
  Endpoint endpoint = redis.unix_endpoint();
  endpoint.timeout_us = 60'000'000;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(endpoint));
  redis.freeze();
  std::vector<Exchange> exchanges;
  redis.loop().spawn(keep(connection, {"SET", "k", std::string(8'000'000, 'x')}, exchanges));
  redis.loop().spawn(keep(connection, {"STRLEN", "k"}, exchanges));
  redis.loop().spawn(thaw_after(redis.loop(), redis, 50'000));
  redis.loop().run(redis.loop().join());
  REQUIRE(exchanges.size() == 2);
  CHECK(exchanges[0].reply.text == "OK");
  CHECK(exchanges[1].reply.integer == 8'000'000);
}

TEST_CASE("after a time-out the sent command is lost, the connection closed, the next not_sent") {
  PrivateRedis redis;
  Endpoint endpoint = redis.unix_endpoint();
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(endpoint));
  connection.close("to give it a short time-out");
  // Connecting is fast only on a quiet machine: the short time-out starts with the next command.
  redis.freeze();
  endpoint.timeout_us = 150'000;
  CHECK_THROWS_WITH_AS(redis.loop().run(connection.connect(endpoint)),
                       "no answer from Redis: no reply within 150ms", Error);
  CHECK_FALSE(connection.is_open());
  const Exchange next = redis.loop().run(send(connection, "PING"));
  CHECK(next.state == Exchange::State::not_sent);
  CHECK_FALSE(next.problem.empty());
}

TEST_CASE("one time-out ends all commands in flight") {
  PrivateRedis redis;
  Endpoint endpoint = redis.unix_endpoint();
  endpoint.timeout_us = 1'000'000;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(endpoint));
  redis.freeze();
  std::vector<Exchange> exchanges;
  for (int i = 0; i < 3; ++i) redis.loop().spawn(keep(connection, {"PING"}, exchanges));
  redis.loop().run(redis.loop().join());
  REQUIRE(exchanges.size() == 3);
  for (const Exchange& exchange : exchanges) {
    CHECK(exchange.state == Exchange::State::lost);
    CHECK(exchange.problem == "no reply within 1s");
    CHECK(exchange.sent_us > 0);
    CHECK(exchange.received_us == 0);
  }
}

TEST_CASE("a killed server makes commands in flight lost, and later ones not_sent") {
  PrivateRedis redis;
  redis.loop().watch_signals();  // an event that stays: a needless wait would last for ever
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  redis.freeze();
  std::vector<Exchange> exchanges;
  for (int i = 0; i < 3; ++i) redis.loop().spawn(keep(connection, {"PING"}, exchanges));
  redis.loop().run(pause(redis.loop(), 5'000));
  redis.kill();
  redis.loop().run(redis.loop().join());
  REQUIRE(exchanges.size() == 3);
  for (const Exchange& exchange : exchanges) CHECK(exchange.state == Exchange::State::lost);
  CHECK_FALSE(connection.is_open());
  CHECK(redis.loop().run(send(connection, "PING")).state == Exchange::State::not_sent);
}

TEST_CASE("if the server ends between commands, the next command fails at once") {
  PrivateRedis redis;
  redis.loop().watch_signals();
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  redis.kill();
  const Exchange first = redis.loop().run(send(connection, "PING"));
  CHECK(first.state != Exchange::State::replied);
  CHECK(redis.loop().run(send(connection, "PING")).state == Exchange::State::not_sent);
}

TEST_CASE("endless retries on a closed connection do not block other users' timers") {
  Loop loop;
  Connection connection(loop);
  int failures = 0;
  bool woke = false;
  const std::int64_t start_us = now_us();
  loop.spawn(insist(loop, connection, start_us + 30'000, failures));
  loop.spawn(wake(loop, start_us + 1'000, 0, failures, woke));
  loop.run(loop.join());
  CHECK(woke);
  CHECK(failures > 1);
}

TEST_CASE("a resumed coroutine may close: commands in flight are lost, later ones not_sent") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  redis.freeze();
  std::vector<Exchange> later, others;
  redis.loop().spawn(close_at_answer(connection, later));
  for (int i = 0; i < 5; ++i) redis.loop().spawn(keep(connection, {"PING"}, others));
  redis.loop().run(pause(redis.loop(), 5'000));
  redis.thaw();
  redis.loop().run(redis.loop().join());
  REQUIRE(others.size() == 5);
  for (const Exchange& other : others) {
    CHECK(other.state == Exchange::State::lost);
    CHECK(other.problem == "enough");
  }
  REQUIRE(later.size() == 1);
  CHECK(later[0].state == Exchange::State::not_sent);
  CHECK(later[0].reply.text.empty());
}

TEST_CASE("a closed connection may connect again, and old answers are discarded") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  redis.freeze();
  std::vector<Exchange> others;
  std::string answer;
  redis.loop().spawn(reconnect_at_answer(connection, redis.unix_endpoint(), answer));
  for (int i = 0; i < 5; ++i)
    redis.loop().spawn(keep(connection, {"ECHO", std::string(9'000, 'x')}, others));
  redis.loop().run(pause(redis.loop(), 5'000));
  redis.thaw();
  redis.loop().run(redis.loop().join());
  CHECK(answer == "second");
  for (const Exchange& other : others) CHECK(other.state == Exchange::State::lost);
}

TEST_CASE("500 connections work at once, by unix socket and by TCP") {
  allow_many_descriptors();
  PrivateRedis redis;
  Endpoint by_unix = redis.unix_endpoint();
  Endpoint by_tcp = redis.tcp_endpoint();
  by_unix.timeout_us = by_tcp.timeout_us = 60'000'000;
  const std::size_t before = open_descriptors();
  connect_500(redis.loop(), by_unix);
  connect_500(redis.loop(), by_tcp);
  CHECK(open_descriptors() == before);
}

TEST_CASE("a connection may be destroyed with commands in flight") {
  PrivateRedis redis;
  Loop loop;
  std::vector<Exchange> exchanges;
  {
    Connection connection(loop);
    loop.run(connection.connect(redis.unix_endpoint()));
    loop.spawn(keep(connection, {"PING"}, exchanges));
  }
  loop.run(pause(loop, 1'000));
  CHECK(exchanges.empty());
}
