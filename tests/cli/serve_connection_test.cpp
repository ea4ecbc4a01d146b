// rlctl serve and its clients' connections.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <utility>

#include "cli/support/serving.h"
#include "cli/support/test_redis.h"

namespace {

const std::string kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

// A limit that no test here reaches.
Arguments plenty(const std::string& url, const Arguments& more = {}) {
  Arguments arguments{"--redis", url, "--route", "/x", "--limit", "1000000", "--window", "1h"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

int status_of(std::uint16_t port, const std::string& request) {
  Client client(port);
  client.send(request);
  const int status = client.receive().status;
  if (status >= 400) CHECK(client.at_end());
  return status;
}

}  // namespace

TEST_CASE("requests that arrive together are answered in order") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client client(serve.port());
  std::string all;
  for (int i = 0; i < 500; ++i) all += kGet + "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(all);
  int right = 0;
  for (int i = 0; i < 500; ++i) {
    right += client.receive().status == 200 ? 1 : 0;
    right += client.receive().status == 404 ? 1 : 0;
  }
  CHECK(right == 1000);
}

TEST_CASE("more requests at once than fit in memory are answered too") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client client(serve.port());
  const std::string filling = "X-Filling: " + std::string(8'000, 'f') + "\r\n";
  std::string all;
  for (int i = 0; i < 100; ++i) all += "GET /x HTTP/1.1\r\nHost: a\r\n" + filling + "\r\n";
  client.send(all);
  int right = 0;
  for (int i = 0; i < 100; ++i) right += client.receive().status == 200 ? 1 : 0;
  CHECK(right == 100);
}

TEST_CASE("a request may arrive one byte at a time") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client client(serve.port());
  const std::string request =
      "\r\nPOST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const char byte : request) {
    client.send(std::string(1, byte));
    usleep(200);
  }
  CHECK(client.receive().status == 200);
  CHECK(client.get("/x").status == 200);
}

TEST_CASE("half a request gets no decision") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  for (const std::string part : {"G", "GET /x HTTP/1.1\r\nHost: a\r\n",
                                 "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc"}) {
    Client client(serve.port());
    client.send(part);
    client.close_half();
    CHECK(client.at_end());
  }
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("a client that closes its half of the connection still gets its answers") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client client(serve.port());
  client.send(kGet + kGet + kGet);
  client.close_half();
  for (int i = 0; i < 3; ++i) CHECK(client.receive().status == 200);
  CHECK(client.at_end());
}

TEST_CASE("HTTP/1.0 closes the connection unless the client asks to keep it") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client once(serve.port());
  once.send("GET /x HTTP/1.0\r\n\r\n");
  CHECK(once.receive().field("Connection") == "close");
  CHECK(once.at_end());
  Client kept(serve.port());
  for (int i = 0; i < 2; ++i) {
    kept.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK(kept.receive().field("Connection") == "keep-alive");
  }
  Client last(serve.port());
  last.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  CHECK(last.receive().field("Connection") == "close");
  CHECK(last.at_end());
}

TEST_CASE("a request that is invalid or too large is refused, and the next client is served") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  const std::string host = " HTTP/1.1\r\nHost: a\r\n";
  CHECK(status_of(serve.port(), "\x16\x03\x01\x02 TLS?\r\n\r\n") == 400);
  CHECK(status_of(serve.port(), "GET /x HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of(serve.port(), "GET /x HTTP/2.0\r\nHost: a\r\n\r\n") == 505);
  CHECK(status_of(serve.port(), "GET /" + std::string(100'000, 'x') + host) == 431);
  CHECK(status_of(serve.port(), "GET /x" + host + "X: " + std::string(1'000'000, 'x')) == 431);
  CHECK(status_of(serve.port(), "POST /x" + host + "Content-Length: 99999999\r\n\r\nabc") == 413);
  CHECK(status_of(serve.port(), "POST /x" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n") ==
        400);
  CHECK(status_of(serve.port(), kGet) == 200);
  const Outcome outcome = serve.stop();
  CHECK(contains(outcome.out, "1 allowed"));
  CHECK(contains(outcome.out, "7 refused"));
}

TEST_CASE("a client that expects 100-continue gets it") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  Client client(serve.port());
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.receive().status == 100);
  client.send("abc");
  CHECK(client.receive().status == 200);
}

TEST_CASE("a stop finishes the requests in flight, refuses the rest, and succeeds") {
  StoppableRedis redis;
  Serving serve(plenty(redis.url(), {"--timeout", "60s"}));
  Client idle(serve.port()), busy(serve.port());
  CHECK(idle.get("/x").status == 200);
  redis.freeze();
  busy.send(kGet);
  // It is in flight when a request that was sent later, and needs no Redis, is answered.
  CHECK(get(serve.port(), "/healthz").status == 200);
  serve.signal(SIGTERM);
  CHECK(idle.at_end());
  CHECK_THROWS(Client(serve.port()));
  redis.thaw();
  const Response last = busy.receive();
  CHECK(last.status == 200);
  CHECK(last.field("Connection") == "close");
  CHECK(busy.at_end());
  const Outcome outcome = serve.wait();
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "2 allowed"));
}

TEST_CASE("a second signal stops without waiting") {
  StoppableRedis redis;
  Serving serve(plenty(redis.url(), {"--timeout", "60s"}));
  Client idle(serve.port()), busy(serve.port());
  redis.freeze();
  busy.send(kGet);
  CHECK(get(serve.port(), "/healthz").status == 200);
  serve.signal(SIGINT);
  CHECK(idle.at_end());
  // Two at once would be one; a process that has ended takes the others.
  for (int i = 0; i < 20; ++i, usleep(10'000)) serve.signal(SIGINT);
  CHECK(serve.wait().exit == 128 + SIGINT);
}

TEST_CASE("a client that leaves during its decision disturbs nobody, and the decision counts") {
  StoppableRedis redis;
  Serving serve(plenty(redis.url(), {"--timeout", "60s"}));
  redis.freeze();
  for (int i = 0; i < 20; ++i) {
    Client leaving(serve.port());
    leaving.send(i % 2 == 0 ? kGet : kGet + kGet + "GET");
    if (i % 3 == 0) leaving.close_half();
    CHECK(get(serve.port(), "/healthz").status == 200);
  }
  redis.thaw();
  CHECK(get(serve.port(), "/x").status == 200);
  const Outcome outcome = serve.stop();
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, " 0 denied, 0 errors"));
}

TEST_CASE("300 keep-alive clients are served, each on its own connection") {
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(std::make_unique<Client>(serve.port()));
  int right = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& client : clients) client->send(kGet);
    for (const auto& client : clients) right += client->receive().status == 200 ? 1 : 0;
  }
  CHECK(right == 900);
  CHECK(contains(serve.stop().out, "900 requests: 900 allowed, 0 denied, 0 errors"));
}

TEST_CASE("a client that asks without a pause does not fill the memory") {
  // Under ASan, freed memory would stay for a while.
  setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 1);
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  unsetenv("ASAN_OPTIONS");
  constexpr int kRequests = 40'000;  // 320 MB
  const std::string filling = "X-Filling: " + std::string(8'000, 'f') + "\r\n";
  const std::string request = "GET /nowhere HTTP/1.1\r\nHost: a\r\n" + filling + "\r\n";
  Client client(serve.port());
  std::thread asking([&] {
    for (int i = 0; i < kRequests; ++i) client.send(request);
  });
  int right = 0;
  for (int i = 0; i < kRequests; ++i) right += client.receive().status == 404 ? 1 : 0;
  asking.join();
  CHECK(right == kRequests);
  // ASan and a busy machine need 140 MB; without a bound all requests would be there at once.
  CHECK(serve.stop().peak_kib < 220 * 1024);
}

TEST_CASE("fifty clients that ask without reading their answers do not fill the memory") {
  setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 1);
  TestRedis redis;
  Serving serve(plenty(redis.url()));
  unsetenv("ASAN_OPTIONS");
  // An answer is longer than its request: without a bound all answers would be there at once.
  std::string requests;
  while (requests.size() < 64 * 1024) requests += "GET /y HTTP/1.1\r\nHost: a\r\n\r\n";
  constexpr std::size_t kMostBytes = 12 << 20;  // of one client
  constexpr int kAtRest = 20;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(std::make_unique<Client>(serve.port()));
  std::vector<std::size_t> sent(clients.size());
  // Until the server takes no more of them, though it answers others.
  for (int at_rest = 0; at_rest < kAtRest; ++at_rest) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (sent[i] >= kMostBytes) continue;
      const std::size_t taken = clients[i]->send_what_fits(requests, sent[i] % requests.size());
      sent[i] += taken;
      if (taken > 0) at_rest = 0;
    }
    CHECK(get(serve.port(), "/healthz").status == 200);
  }
  CHECK(serve.stop().peak_kib < 250 * 1024);
}

TEST_CASE("4,096 idle clients do not keep others out") {
  rlimit files{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
  constexpr rlim_t kIdle = 4'096;
  if (files.rlim_max < 2 * kIdle + 200) return;  // rlctl would allow fewer connections
  const rlim_t before = std::exchange(files.rlim_cur, files.rlim_max);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &files) == 0);
  {
    TestRedis redis;
    Serving serve(plenty(redis.url()));
    std::vector<std::unique_ptr<Client>> idle;
    for (rlim_t i = 0; i < kIdle; ++i) idle.push_back(std::make_unique<Client>(serve.port()));
    for (int i = 0; i < 20; ++i) CHECK(get(serve.port(), "/x").status == 200);
    CHECK(idle.front()->at_end());
    idle.back()->send(kGet);
    CHECK(idle.back()->receive().status == 200);
  }
  files.rlim_cur = before;
  setrlimit(RLIMIT_NOFILE, &files);
}

TEST_CASE("more clients than --connections: the one that is idle the longest gives way") {
  TestRedis redis;
  Serving serve(plenty(redis.url(), {"--connections", "2"}));
  Client first(serve.port()), second(serve.port());
  CHECK(first.get("/x").status == 200);
  CHECK(second.get("/x").status == 200);
  Client third(serve.port());
  third.send(kGet);
  CHECK(third.receive().status == 200);
  CHECK(first.at_end());
  CHECK(second.get("/x").status == 200);
}

TEST_CASE("more clients than --connections wait while all are busy") {
  StoppableRedis redis;
  Serving serve(plenty(redis.url(), {"--connections", "2", "--timeout", "60s"}));
  Client first(serve.port()), second(serve.port());
  CHECK(first.get("/healthz").status == 200);
  CHECK(second.get("/healthz").status == 200);
  redis.freeze();
  first.send(kGet);
  second.send(kGet);
  Client third(serve.port());  // the kernel accepts it, the server does not read
  third.send(kGet);
  redis.thaw();
  CHECK(first.receive().status == 200);
  CHECK(second.receive().status == 200);
  CHECK(third.receive().status == 200);
}
