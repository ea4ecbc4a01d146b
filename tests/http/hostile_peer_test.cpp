// Any misbehaviour of a peer is recorded as `failed` or `unknown`, never as allowed or denied, in
// bounded time.
#include <doctest/doctest.h>

#include <mutex>
#include <utility>

#include "http/http_spec.h"
#include "http/peer.h"
#include "io/clock.h"
#include "limiter/http_limiter.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kTimeoutUs = 300'000;

struct Asked {
  std::vector<Decision> decisions;
  HeaderClaims claims;
};

Task<Asked> ask_times(HttpLimiter& limiter, int times) {
  Asked asked;
  for (int i = 0; i < times; ++i) asked.decisions.push_back(co_await limiter.decide({}));
  asked.claims = limiter.claims();
  co_return asked;
}

Task<> ask_for(const Identity& client, HttpLimiter& limiter, Decision& decision) {
  Attempt attempt;
  attempt.identity = &client;
  decision = co_await limiter.decide(attempt);
}

// What `use` makes of a loop and a limiter for that target.
template <typename Use>
auto with_limiter(const TargetSpec& spec, std::int64_t timeout_us, Use use) {
  const HttpTarget target = http_target_from(spec);
  HttpSettings settings;
  settings.timeout_us = timeout_us;
  settings.engine = EachEngine::engine;
  settings = http_settings_for(target, settings);
  Loop loop;
  const auto client = make_http_client(loop, settings);
  RequestNumbers numbers;
  HttpLimiter limiter(*client, target, numbers);
  return use(loop, limiter);
}

Asked ask(const TargetSpec& spec, int times = 1, std::int64_t timeout_us = kTimeoutUs) {
  return with_limiter(spec, timeout_us, [&](Loop& loop, HttpLimiter& limiter) {
    return loop.run(ask_times(limiter, times));
  });
}

Decision ask_once(const Peer& peer, std::int64_t timeout_us = kTimeoutUs) {
  return ask(spec_for(peer.url()), 1, timeout_us).decisions.front();
}

// The peer receives the request and then sends only this.
Peer::Behaviour answers_with(const std::string& bytes) {
  return [bytes](PeerConnection& connection) {
    if (connection.read_request()) connection.write(bytes);
  };
}

bool mentions(const Decision& decision, const char* words) {
  return decision.problem.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(EachEngine, "a refused connection is failed: nothing was executed") {
  std::string url;
  {
    const Peer gone([](PeerConnection&) {});
    url = gone.url();
  }
  const Decision decision = ask(spec_for(url)).decisions.front();
  CHECK(decision.outcome == Outcome::failed);
  CHECK(decision.problem == "connection refused");
  CHECK(decision.sent_us == kNoTime);
  CHECK(decision.received_us == kNoTime);
  CHECK(decision.status == 0);
}

TEST_CASE_FIXTURE(EachEngine, "a reset or an end without a reply is unknown") {
  const Peer resets([](PeerConnection& connection) {
    connection.read_request();
    connection.reset();
  });
  const Decision reset = ask_once(resets);
  CHECK(reset.outcome == Outcome::unknown);
  CHECK(mentions(reset, "reset the connection"));
  CHECK(reset.sent_us != kNoTime);
  CHECK(reset.received_us == kNoTime);
  const Peer ends([](PeerConnection& connection) { connection.read_request(); });
  const Decision end = ask_once(ends);
  CHECK(end.outcome == Outcome::unknown);
  CHECK(mentions(end, "without a reply"));
}

TEST_CASE_FIXTURE(EachEngine,
                  "a peer that hangs or sends too slowly is unknown after the time-out") {
  const Peer hangs([](PeerConnection& connection) { connection.hang(); });
  const Peer drips([](PeerConnection& connection) {
    connection.read_request();
    const std::string reply = response(200);
    for (std::size_t i = 0; i < reply.size() && connection.write(reply.substr(i, 1)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  const Peer endless([](PeerConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.write(std::string(10'000, 'x')))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  for (const Peer* peer : {&hangs, &drips, &endless}) {
    const std::int64_t before_us = now_us();
    const Decision decision = ask_once(*peer);
    CHECK(decision.outcome == Outcome::unknown);
    CHECK(mentions(decision, "no reply within 300ms"));
    CHECK(http_hint(decision) == "allow more with --timeout");
    CHECK(decision.received_us == kNoTime);
    CHECK(now_us() - before_us >= kTimeoutUs);
    CHECK(now_us() - before_us < 20'000'000);
  }
}

TEST_CASE_FIXTURE(EachEngine, "a reply that is cut is unknown, wherever the cut is") {
  const std::string whole = response(200, "X-A: b\r\n", "0123456789");
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    CAPTURE(length);
    const Peer peer(answers_with(whole.substr(0, length)));
    const Decision decision = ask_once(peer, 20'000'000);
    CHECK(decision.outcome == Outcome::unknown);
    CHECK_FALSE(decision.problem.empty());
    CHECK(decision.received_us == kNoTime);
    CHECK(http_hint(decision).empty());  // no option makes it whole
  }
  const Peer chunks(answers_with("HTTP/1.1 429 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"));
  const Decision decision = ask_once(chunks, 20'000'000);
  CHECK(decision.outcome == Outcome::unknown);
  CHECK(mentions(decision, "cut short"));
  const Peer interim(answers_with("HTTP/1.1 100 Continue\r\n\r\n"));
  CHECK(ask_once(interim, 20'000'000).outcome == Outcome::unknown);
}

TEST_CASE_FIXTURE(EachEngine, "a reply that is not HTTP is unknown and shown escaped") {
  for (const char* bytes : {"\x1b]0;owned\x07 SSH-2.0\r\n", "+PONG\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"}) {
    const Peer peer(answers_with(bytes));
    const Decision decision = ask_once(peer, 20'000'000);
    CHECK(decision.outcome == Outcome::unknown);
    CHECK_FALSE(decision.problem.empty());
    CHECK(decision.problem.find('\x1b') == std::string::npos);
  }
}

TEST_CASE_FIXTURE(EachEngine, "a redirect is not followed, and its place is reported") {
  const Peer other(answers_with(response(200)));
  const Peer peer(answers_with(response(302, "Location: " + other.url("/x") + "\r\n")));
  const Decision decision = ask_once(peer, 20'000'000);
  CHECK(decision.outcome == Outcome::unknown);
  CHECK(decision.status == 302);
  CHECK(mentions(decision, "redirects to another host"));
  CHECK(other.connections() == 0);
  const Peer here(answers_with(response(301, "Location: /login\r\n")));
  CHECK(mentions(ask_once(here, 20'000'000), "redirects to '/login'"));
}

TEST_CASE_FIXTURE(EachEngine, "other statuses are unknown, and the status is kept") {
  for (const int status : {401, 404, 500, 503, 999}) {
    const Peer peer(answers_with(response(status)));
    const Decision decision = ask_once(peer, 20'000'000);
    CHECK(decision.outcome == Outcome::unknown);
    CHECK(decision.status == status);
    CHECK(decision.received_us != kNoTime);
    CHECK_FALSE(http_hint(decision).empty());
  }
}

TEST_CASE_FIXTURE(EachEngine, "a request is not repeated when a kept connection dies") {
  std::atomic<int> requests = 0;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request())
      if (++requests == 2 || !connection.write(response(200))) return;
  });
  const Asked asked = ask(spec_for(peer.url()), 2, 20'000'000);
  CHECK(asked.decisions[0].outcome == Outcome::allowed);
  CHECK(asked.decisions[1].outcome == Outcome::unknown);
  CHECK(asked.decisions[1].status == 0);
  CHECK(asked.decisions[1].sent_us != kNoTime);
  CHECK(requests == 2);
}

TEST_CASE_FIXTURE(EachEngine, "a connection that ended while idle is replaced") {
  const Peer peer([](PeerConnection& connection) {
    connection.read_request();
    connection.write(response(200, "Connection: close\r\n"));
  });
  const Asked asked = ask(spec_for(peer.url()), 3, 20'000'000);
  for (const Decision& decision : asked.decisions) CHECK(decision.outcome == Outcome::allowed);
  CHECK(peer.connections() == 3);
}

TEST_CASE_FIXTURE(EachEngine, "each request on a kept connection is complete") {
  std::mutex mutex;
  std::vector<std::string> seen;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request()) {
      const std::lock_guard lock(mutex);
      seen.push_back(connection.request());
      if (!connection.write(response(200))) return;
    }
  });
  const auto requests_for = [&](const TargetSpec& spec) {
    ask(spec, 3, 30'000'000);
    const std::lock_guard lock(mutex);
    return std::exchange(seen, {});
  };
  const std::string host = peer.url("").substr(std::string("http://").size());
  const std::string plain =
      "GET /a%20b?c=d HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: rlctl\r\n\r\n";
  TargetSpec spec = spec_for(peer.url("/a%20b?c=d"));
  CHECK(requests_for(spec) == std::vector<std::string>(3, plain));
  spec.headers = {{"user-agent", "mine"}, {"Accept", "text/plain"}};
  const std::string own = "GET /a%20b?c=d HTTP/1.1\r\nHost: " + host +
                          "\r\nuser-agent: mine\r\nAccept: text/plain\r\n\r\n";
  CHECK(requests_for(spec) == std::vector<std::string>(3, own));
}

TEST_CASE_FIXTURE(EachEngine,
                  "the configured statuses mean allowed and denied, and headers are read") {
  const Peer peer(answers_with(response(
      418, "Retry-After: 7\r\nRateLimit: \"a\";r=0;t=9\r\nRateLimit-Policy: \"a\";q=5;w=60\r\n")));
  TargetSpec spec = spec_for(peer.url());
  spec.denied = {"418"};
  const Asked asked = ask(spec, 1, 20'000'000);
  const Decision& decision = asked.decisions.front();
  CHECK(decision.outcome == Outcome::denied);
  CHECK(decision.retry_after_us == 7'000'000);
  CHECK(decision.remaining == 0);
  CHECK(decision.sent_us <= decision.received_us);
  CHECK(asked.claims.denials == 1);
  CHECK(asked.claims.early_waits == 1);
  REQUIRE(asked.claims.policies.size() == 1);
  CHECK(asked.claims.policies[0].quota == 5);
}

TEST_CASE_FIXTURE(EachEngine, "a limiter keeps two clients apart that ask at the same time") {
  const Peer peer([](PeerConnection& connection) {
    if (!connection.read_request()) return;
    const bool is_bob = connection.request().starts_with("GET /bob ");
    connection.write(is_bob ? response(429) : response(302, "Location: http://away/ann\r\n"));
  });
  const Identity ann{"", "ann"};
  const Identity bob{"", "bob"};
  Decision decisions[2];
  with_limiter(spec_for(peer.url("/<user>")), 20'000'000, [&](Loop& loop, HttpLimiter& limiter) {
    loop.spawn(ask_for(ann, limiter, decisions[0]));
    loop.spawn(ask_for(bob, limiter, decisions[1]));
    loop.run(loop.join());
  });
  CHECK(decisions[0].outcome == Outcome::unknown);
  CHECK(mentions(decisions[0], "redirects to another host, 'away"));
  CHECK(decisions[1].outcome == Outcome::denied);
}
