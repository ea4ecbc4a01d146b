// The HTTP server alone: its time limits, which are too long for a test of the binary, and handlers
// that fail.
#include "io/http/server/http_server.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "cli/support/serving.h"
#include "io/clock.h"

using namespace rlctl;

namespace {

constexpr std::size_t kLongBody = 30 * 1024 * 1024;  // more than socket buffers hold

// A server and its loop on their own thread, so that blocking clients can be used here.
class ServerThread {
 public:
  explicit ServerThread(HttpBounds bounds) : thread_([this, bounds] { run(bounds); }) {
    while (port_ == 0) std::this_thread::yield();
  }
  ~ServerThread() {
    stop_ = true;
    thread_.join();
  }
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  std::uint16_t port() const { return port_; }
  // The current state: a published one may be from before the last connection.
  std::size_t connections() const {
    const std::uint64_t seen = looks_;
    while (looks_ < seen + 2) std::this_thread::yield();
    return connections_;
  }
  int handled() const { return handled_; }

 private:
  void run(HttpBounds bounds) {
    Loop loop;
    HttpServer server(
        loop, [this, &loop](const HttpRequest& request) { return answer(loop, request); }, bounds);
    server.listen(ListenAddress{});
    port_ = server.port();
    loop.run(serve(loop, server));
  }

  Task<> serve(Loop& loop, HttpServer& server) {
    while (!stop_) {
      co_await loop.until(now_us() + 5'000);
      connections_ = server.connections();
      ++looks_;
    }
    co_await server.stop(1'000'000);
  }

  Task<HttpAnswer> answer(Loop& loop, const HttpRequest& request) {
    if (request.head.path == "/throws") throw std::runtime_error("a mistake");
    if (request.head.path == "/later") co_await loop.until(now_us() + 200'000);
    if (request.head.path == "/later/throws") {
      co_await loop.until(now_us() + 1'000);
      throw std::runtime_error("a later mistake");
    }
    ++handled_;
    HttpAnswer answer;
    if (request.head.path == "/long") answer.body.assign(kLongBody, 'x');
    co_return answer;
  }

  std::atomic<std::uint16_t> port_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::uint64_t> looks_ = 0;
  std::atomic<int> handled_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

HttpBounds bounds_ms(std::int64_t idle, std::int64_t request, std::int64_t write) {
  HttpBounds bounds;
  bounds.idle_us = idle * 1'000;
  bounds.request_us = request * 1'000;
  bounds.write_us = write * 1'000;
  return bounds;
}

constexpr std::int64_t kNever = 1'000'000;

}  // namespace

TEST_CASE("a client that sends nothing for too long is disconnected") {
  ServerThread server(bounds_ms(1'000, kNever, kNever));
  Client silent(server.port()), served(server.port());
  CHECK(served.get("/").status == 200);
  CHECK(silent.at_end());
  CHECK(served.at_end());
}

TEST_CASE("a request that does not end is 408") {
  ServerThread server(bounds_ms(kNever, 100, kNever));
  for (const std::string part : {"GET / HTTP/1.1\r\nHost: a\r\n",
                                 "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx"}) {
    Client slow(server.port());
    slow.send(part);
    CHECK(slow.receive().status == 408);
    CHECK(slow.at_end());
  }
  CHECK(server.handled() == 0);
}

TEST_CASE("a client that does not read its answer is disconnected, and others never wait for it") {
  ServerThread server(bounds_ms(kNever, kNever, 300));
  Client lazy(server.port()), brisk(server.port());
  lazy.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(brisk.get("/").status == 200);
  while (server.connections() > 1) std::this_thread::yield();
  CHECK(brisk.get("/").status == 200);
  CHECK(lazy.receive().body.size() < kLongBody);
}

TEST_CASE("a long answer arrives complete") {
  ServerThread server(bounds_ms(kNever, kNever, kNever));
  Client client(server.port());
  CHECK(client.get("/long").body.size() == kLongBody);
  CHECK(client.get("/").status == 200);
}

TEST_CASE("a handler that throws is a 500, and the connection stays open") {
  ServerThread server(HttpBounds{});
  Client client(server.port());
  CHECK(client.get("/throws").status == 500);
  CHECK(client.get("/later/throws").status == 500);
  CHECK(client.get("/").status == 200);
}

TEST_CASE("if a client leaves, its handler still runs to the end") {
  ServerThread server(HttpBounds{});
  for (int i = 0; i < 5; ++i) {
    Client leaving(server.port());
    leaving.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    while (server.connections() == 0) std::this_thread::yield();
  }
  while (server.handled() < 5 || server.connections() > 0) std::this_thread::yield();
  CHECK(server.handled() == 5);
}
