// Every verb that uses a Redis does so over TLS, with the same options.
#include "tools/redis_tls.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "redis/private_redis.h"

namespace {

using rlctl::test::Folder;
using rlctl::test::TestAuthority;

class TlsRedis {
 public:
  explicit TlsRedis(const rlctl::test::TlsPort& wanted = {})
      : port_(rlctl::test::open_tls_port([this](const auto& words) { return redis_.text(words); },
                                         authority_, wanted)) {}

  TestRedis& redis() { return redis_; }
  const TestAuthority& authority() const { return authority_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "rediss://" + address(); }

  // With --redis and --cacert for this server.
  Arguments trusting(Arguments arguments) const {
    arguments.insert(arguments.begin() + 1, {"--redis", url(), "--cacert", authority_.file()});
    return arguments;
  }

 private:
  TestRedis redis_;
  TestAuthority authority_;
  std::uint16_t port_;
};

int exit_of(const Arguments& arguments) {
  const Outcome outcome = run_rlctl(arguments);
  CAPTURE(arguments[0]);
  CAPTURE(outcome.err);
  CHECK(outcome.exit < 2);
  return outcome.exit;
}

// On a busy machine a verdict may be inconclusive: here it only matters that Redis decided.
void check_played(const Arguments& arguments) {
  const Outcome outcome = run_rlctl(arguments);
  CAPTURE(arguments[0]);
  CAPTURE(outcome.err);
  const bool played = outcome.exit < 2 || outcome.exit == 4;
  CHECK(played);
}

}  // namespace

TEST_CASE("verbs that look at keys work over TLS") {
  TlsRedis tls;
  const Arguments policy{"--limit", "2", "--window", "1h"};
  Arguments hit{"hit", "k", "--requests", "3"};
  hit.insert(hit.end(), policy.begin(), policy.end());
  CHECK(exit_of(tls.trusting(hit)) == 1);
  CHECK(exit_of(tls.trusting({"list"})) == 0);
  CHECK(exit_of(tls.trusting({"inspect", "k"})) == 0);
  CHECK(exit_of(tls.trusting({"load", "fixed"})) == 0);
  CHECK(exit_of(tls.trusting({"block", "k", "--for", "1m"})) == 0);
  CHECK(exit_of(tls.trusting({"unblock", "k"})) == 0);
  CHECK(exit_of(tls.trusting({"watch", "--once", "--json"})) == 0);
  CHECK(exit_of(tls.trusting({"reset", "k", "--yes"})) == 0);
  CHECK(tls.redis().number({"DBSIZE"}) == 0);
}

TEST_CASE("a Sentinel that speaks TLS, or does not, is told as a Redis is") {
  TlsRedis tls;
  const auto told = [](const std::string& url) { return run_rlctl({"list", "--redis", url}).err; };
  CHECK(contains(told("redis+sentinel://" + tls.address() + "/mymaster"),
                 "if this port speaks TLS, write rediss:// or add --tls"));
  rlctl::test::PrivateRedis plain;
  const std::string port = std::to_string(plain.tcp_endpoint().port);
  CHECK(contains(told("rediss+sentinel://127.0.0.1:" + port + "/mymaster"),
                 "try redis://, without --tls"));
}

TEST_CASE("verbs that play traffic work over TLS") {
  TlsRedis tls;
  check_played(tls.trusting({"simulate", "double-click", "--policy", "5/1s"}));
  CHECK(tls.redis().calls("evalsha") > 5);
  check_played(tls.trusting(
      {"bench", "--algo", "fixed", "--only", "speed", "--rounds", "1", "--requests", "500"}));
  CHECK(tls.redis().calls("evalsha") > 500);
}

TEST_CASE("a scenario's own rediss:// is played with the options of the command line") {
  TlsRedis tls;
  const Folder folder;
  const std::string file = folder.write("tls.json", R"({
    "name": "tls", "clock": "wall", "verdict": "holds",
    "target": {"kind": "redis", "url": ")" + tls.url() + R"("},
    "policies": {"api": {"algo": "sliding", "limit": 5, "window": "1s", "key": "<ip>"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "all", "policy": "api", "who": "bot", "rate": "20/1s", "for": "1s"}]
  })");
  check_played({"run", file, "--cacert", tls.authority().file()});
  CHECK(tls.redis().calls("evalsha") >= 20);
  const Outcome untrusted = run_rlctl({"run", file});
  CHECK(untrusted.exit == 3);
  CHECK(contains(untrusted.out + untrusted.err, "nobody who is trusted has signed"));
}

TEST_CASE("serve decides by a Redis behind TLS") {
  TlsRedis tls;
  Serving serve({"--redis", tls.url(), "--cacert", tls.authority().file(), "--key", "k:<ip>",
                 "--limit", "1", "--window", "1h"});
  CHECK(get(serve.port(), "/").status == 200);
  CHECK(get(serve.port(), "/").status == 429);
  CHECK(serve.stop().exit == 0);
}

TEST_CASE("redis-cli's --key is answered with our name for it") {
  const Outcome outcome = run_rlctl({"list", "--tls", "--cert", "c.pem", "--key", "k.pem"});
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "unknown option '--key'; the private key of --cert is --cert-key"));
  const Outcome limiters = run_rlctl({"hit", "--key", "user:1", "--limit", "1", "--window", "1s"});
  CHECK(limiters.exit == 2);
  CHECK(contains(limiters.err,
                 "write the limiter's key without an option: rlctl hit KEY; the private"));
}

TEST_CASE("--tls is the same as rediss://, and the certificate must have the host's name") {
  TlsRedis tls({.names = "DNS:cache.example"});
  const Arguments plain{"list",  "--redis",  "redis://" + tls.address(),
                        "--tls", "--cacert", tls.authority().file()};
  const Outcome wrong = run_rlctl(plain);
  CHECK(wrong.exit == 3);
  CHECK(contains(wrong.err, "the certificate is for cache.example, not for 127.0.0.1"));
  Arguments named = plain;
  named.insert(named.end(), {"--sni", "cache.example"});
  CHECK(run_rlctl(named).exit == 0);
}

TEST_CASE("--insecure warns once, however many connections follow") {
  TlsRedis tls;
  const Outcome outcome = run_rlctl({"simulate", "double-click", "--redis", tls.url(), "--insecure",
                                     "--policy", "5/1s", "--quiet"});
  CHECK(tls.redis().calls("evalsha") > 5);
  CHECK(outcome.err ==
        "rlctl: --insecure: certificates are not checked, so any server could answer as the "
        "target\n");
}

TEST_CASE("--insecure and --cacert contradict each other") {
  const Outcome outcome =
      run_rlctl({"list", "--redis", "rediss://127.0.0.1:1", "--insecure", "--cacert", "ca.pem"});
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "--insecure accepts any certificate, so --cacert has no effect"));
}

TEST_CASE("a cut way to a Redis behind TLS: its name is still the one that is verified") {
  TlsRedis tls;
  const Outcome outcome = run_rlctl(tls.trusting(
      {"simulate", "bot", "--rate", "50/1s", "--limit", "10", "--window", "1s", "--for", "2s",
       "--quiet", "--attempts", "100", "--allow-faults", "--fault", "cut@500ms:500ms", "--json"}));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit <= 1);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["failed"].get<int>() > 0);
  CHECK(fault["admits_after_us"].is_number());
}
