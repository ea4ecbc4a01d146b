// Connecting, and all its ways to fail.
#include <doctest/doctest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "redis/private_redis.h"
#include "redis/refusal.h"
#include "tools/free_port.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// Listens on 127.0.0.1. If words are given, it accepts one connection, sends them and hangs up, so
// that both arrive at once. Otherwise it accepts none: the kernel completes the connection, and
// nobody ever answers.
class OddListener {
 public:
  explicit OddListener(std::optional<std::string> words)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
        listen(socket_, 16) != 0)
      throw std::runtime_error("cannot listen");
    endpoint_.port = ntohs(address.sin_port);
    if (words) thread_ = std::thread([this, said = std::move(*words)] { serve_one(said); });
  }
  ~OddListener() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }
  OddListener(const OddListener&) = delete;
  OddListener& operator=(const OddListener&) = delete;

  Endpoint endpoint() const { return endpoint_; }

 private:
  void serve_one(const std::string& words) const {
    const int peer = accept(socket_, nullptr, nullptr);
    if (peer < 0) return;
    char question[256];
    if (read(peer, question, sizeof question) > 0 && !words.empty())
      send(peer, words.data(), words.size(), MSG_NOSIGNAL | MSG_MORE);
    close(peer);
  }

  int socket_;
  Endpoint endpoint_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a password that is missing, wrong or not needed gives different errors") {
  PrivateRedis redis;
  Endpoint endpoint = redis.unix_endpoint();
  endpoint.password = "hunter2";
  CHECK(refused_with(endpoint, "leave it out"));
  redis.command({"CONFIG", "SET", "requirepass", "secret"});
  CHECK(refused_with(endpoint, "password is wrong"));
  CHECK(refusal(endpoint).find("hunter2") == std::string::npos);
  endpoint.user = "nobody";
  CHECK(refused_with(endpoint, "password is wrong"));
  endpoint.user.clear();
  endpoint.password.clear();
  CHECK(refused_with(endpoint, "this Redis needs a password"));
  endpoint.password = "secret";
  CHECK(refusal(endpoint).empty());
}

TEST_CASE("a user who may not run PING can connect, and a later refusal names the command") {
  PrivateRedis redis;
  redis.command({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "+evalsha", "+select"});
  Endpoint endpoint = redis.unix_endpoint();
  endpoint.user = "ann";
  endpoint.password = "secret";
  CHECK(refusal(endpoint).empty());
  endpoint.database = 2;
  CHECK(refusal(endpoint).empty());
}

TEST_CASE("the database is selected, and one that does not exist is refused") {
  PrivateRedis redis;
  Endpoint endpoint = redis.unix_endpoint();
  endpoint.database = 3;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(endpoint));
  redis.loop().run(send(connection, "SET", "there", "1"));
  CHECK(redis.command({"EXISTS", "there"}).integer == 0);
  redis.command({"SELECT", "3"});
  CHECK(redis.command({"EXISTS", "there"}).integer == 1);
  endpoint.database = 4'000;
  CHECK(refused_with(endpoint, "databases"));
}

TEST_CASE("a full server reports that on every kind of socket") {
  PrivateRedis redis;
  Endpoint by_tcp = redis.tcp_endpoint();
  REQUIRE(redis.command({"CONFIG", "SET", "maxclients", "1"}).text == "OK");
  // Whether the server's words or our command come first is a race; both must end the same way.
  for (int i = 0; i < 20; ++i) {
    CHECK(refused_with(redis.unix_endpoint(), "max number of clients"));
    CHECK(refused_with(by_tcp, "max number of clients"));
  }
}

TEST_CASE("if nobody listens, the error says where and what to do") {
  Endpoint endpoint;
  endpoint.port = free_port();
  CHECK(refused_with(endpoint, "check the address"));
  CHECK(refused_with(endpoint, "127.0.0.1:" + std::to_string(endpoint.port)));
  endpoint.unix_path = "/nonexistent/redis.sock";
  CHECK(refused_with(endpoint, "no such socket"));
  endpoint.unix_path = "/";
  CHECK(refused_with(endpoint, "can't connect to unix:///"));
}

TEST_CASE("every address of a host name is tried") {
  // A bare container may not know the name: then there is nothing to try.
  addrinfo* known = nullptr;
  if (getaddrinfo("localhost", nullptr, nullptr, &known) != 0) {
    Endpoint unknown;
    unknown.host = "localhost";
    CHECK(refused_with(unknown, "can't find the host"));
    return;
  }
  freeaddrinfo(known);
  PrivateRedis redis;
  Endpoint endpoint = redis.tcp_endpoint();
  endpoint.host = "localhost";  // ::1 comes first if there is IPv6
  CHECK(refusal(endpoint).empty());
}

TEST_CASE("a peer that is not a Redis is reported as such") {
  const OddListener web("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  CHECK(refused_with(web.endpoint(), "does not speak Redis"));
  const OddListener shell("\x1b]0;gotcha\x07\r\n");
  const std::string said = refusal(shell.endpoint());
  CHECK(said.find("does not speak Redis") != said.npos);
  CHECK(said.find('\x1b') == said.npos);
  const OddListener tls(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  CHECK(refused_with(tls.endpoint(), "this port speaks TLS | write rediss:// instead of redis://"));
  const OddListener huge("*2147483647\r\n");
  CHECK_FALSE(refusal(huge.endpoint()).empty());
}

TEST_CASE("a peer that hangs up or stays silent gives an error and no endless wait") {
  const OddListener closing("");
  CHECK(refused_with(closing.endpoint(), "closed the connection"));
  const OddListener silent(std::nullopt);
  Endpoint endpoint = silent.endpoint();
  endpoint.timeout_us = 100'000;
  CHECK(refused_with(endpoint, "no reply within 100ms"));
}

TEST_CASE("a server that hangs up behind its reply gets no other command") {
  const OddListener server("+PONG\r\n");
  Loop loop;
  Connection connection(loop);
  loop.run(connection.connect(server.endpoint()));
  CHECK(loop.run(send(connection, "PING")).state == Exchange::State::not_sent);
}

TEST_CASE("a reply without a command ends the connection") {
  const OddListener talkative("+PONG\r\n+PONG\r\n:1\r\n");
  Loop loop;
  Connection connection(loop);
  loop.run(connection.connect(talkative.endpoint()));
  const Exchange exchange = loop.run(send(connection, "GET", "k"));
  CHECK(exchange.state != Exchange::State::replied);
  CHECK_FALSE(connection.is_open());
}

TEST_CASE("no connection attempt leaks a descriptor, whether it succeeds or not") {
  PrivateRedis redis;
  Endpoint nowhere, wrong = redis.unix_endpoint();
  nowhere.port = free_port();
  wrong.password = "not wanted";
  const std::size_t before = open_descriptors();
  CHECK(refusal(redis.unix_endpoint()).empty());
  CHECK_FALSE(refusal(nowhere).empty());
  CHECK_FALSE(refusal(wrong).empty());
  CHECK(open_descriptors() == before);
}

TEST_CASE("a server that is still loading is waited for, up to the time-out") {
  PrivateRedis master, replica;
  replica.load_slowly_from(master);
  Loop& loop = replica.loop();
  Endpoint endpoint = replica.unix_endpoint();
  CHECK(refused_with(endpoint, "still reading its data from disk"));
  replica.command({"CONFIG", "RESETSTAT"});
  endpoint.timeout_us = 60'000'000;
  Connection connection(loop);
  Task<> connecting = connection.connect(endpoint);
  connecting.start();
  while (replica.command({"INFO", "commandstats"}).text.find("cmdstat_ping") == std::string::npos)
    loop.run(pause(loop, 10'000));
  CHECK_FALSE(connecting.done());
  replica.load_at_once();
  while (!connecting.done()) loop.run(pause(loop, 10'000));
  CHECK(loop.run(rlctl::test::send(connection, "PING")).reply.text == "PONG");
}
