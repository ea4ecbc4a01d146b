// The limits of nginx and HAProxy, judged by the policy that their documentation promises.
#include <doctest/doctest.h>

#include "http/nginx.h"
#include "real/judged.h"
#include "real/server.h"

using namespace rlctl::test;

namespace {

// ngx_http_limit_req_module, 20 requests a second.
std::string limit_req(const std::string& more) {
  return "limit_req_zone $binary_remote_addr zone=clients:1m rate=20r/s; limit_req_status 429;\n"
         "server { listen 127.0.0.1:PORT; location / { limit_req zone=clients " +
         more + "; root FOLDER; } }";
}

struct Promise {
  std::string limit_req;
  std::string policy;
};

}  // namespace

// "The leaky bucket": a request above the rate is excessive; `burst` of them are kept, delayed or
// not, and the one at the rate is no excess.
TEST_CASE("nginx limit_req is a bucket of burst + 1, whether it delays or not") {
  for (const auto& [more, policy] :
       {Promise{"burst=10 nodelay", "bucket 11 + 20/1s"},
        Promise{"burst=10 delay=5", "bucket 11 + 20/1s"}, Promise{"burst=3", "bucket 4 + 20/1s"},
        Promise{"", "bucket 1 + 20/1s"}}) {
    CAPTURE(more);
    const Nginx nginx(limit_req(more));
    const Json found = judged(policy, {nginx.url()}, flood("2s"));
    CHECK(found["verdict"] == "holds");
    const Nginx again(limit_req(more));
    CHECK(judged("20/1s", {again.url()}, flood("2s"))["verdict"] != "inconclusive");
  }
}

TEST_CASE("a bucket that is one smaller than nginx's is violated") {
  const Nginx nginx(limit_req("burst=10 nodelay"));
  CHECK(judged("bucket 8 + 20/1s", {nginx.url()}, flood("1s"))["verdict"] == "violated");
}

// http_req_rate: "the average incoming HTTP request rate over that period". It counts denied
// requests too, so whoever does not pause stays denied.
TEST_CASE("HAProxy http_req_rate admits its limit, and then nothing while requests go on") {
  const Haproxy haproxy(
      "  stick-table type ip size 1k expire 10s store http_req_rate(1s)\n"
      "  http-request track-sc0 src\n"
      "  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 10 }\n"
      "  http-request return status 200\n");
  const Json policy = judged("10/1s, denied count", {haproxy.url()}, flood("2500ms"));
  CHECK(policy["verdict"] == "holds");
}

// limit_conn: "A connection is counted only if it has a request being processed by the server".
TEST_CASE("nginx limit_conn holds as many in flight as it says, not fewer and not more") {
  if (!has_node_packages()) return;
  const NodeLimiter work("semaphore", 1'000, 200);  // each request takes 200 ms
  const Nginx nginx(
      "limit_conn_zone $binary_remote_addr zone=clients:1m; limit_conn_status 429;\n"
      "server { listen 127.0.0.1:PORT; location / { limit_conn clients 5; proxy_pass " +
      work.url() + "; } }");
  const Json traffic{{"users", 12}, {"for", "2s"}, {"think", "5ms"}};
  const auto verdict = [&](const char* rules) {
    return judged(rules, {nginx.url()}, traffic, "190ms")["verdict"];
  };
  CHECK(verdict("5 in flight") == "holds");
  CHECK(verdict("4 in flight") == "violated");  // five were held at once
  CHECK(verdict("6 in flight") == "violated");  // and the sixth was denied
}

// conn_cur: "the current amount of concurrent connections"; a tracked request is one until its
// answer ends.
TEST_CASE("HAProxy conn_cur holds so many requests in flight, and not one fewer") {
  if (!has_node_packages()) return;
  const NodeLimiter work("semaphore", 1'000, 200);
  const std::string address = work.url().substr(sizeof "http://" - 1);
  const Haproxy haproxy(
      "  stick-table type ip size 1k expire 10s store conn_cur\n"
      "  http-request track-sc0 src\n"
      "  http-request deny deny_status 429 if { sc_conn_cur(0) gt 5 }\n"
      "  default_backend app\n"
      "backend app\n"
      "  server one " +
      address.substr(0, address.size() - 1) + "\n");
  const Json five = judged("5 in flight", {haproxy.url()}, flood("2s"), "190ms");
  CHECK(five["verdict"] == "holds");
  const Json four = judged("4 in flight", {haproxy.url()}, flood("2s"), "190ms");
  CHECK(four["verdict"] == "violated");
}
