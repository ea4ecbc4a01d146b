// HTTP targets as a user meets them: hit and simulate, with a real nginx and with no server.
#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "http/nginx.h"
#include "http/peer.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;
using rlctl::test::Nginx;
using rlctl::test::Peer;
using rlctl::test::PeerConnection;

namespace {

std::string limited(const std::string& rate, const std::string& burst) {
  return "limit_req_zone $binary_remote_addr zone=clients:1m rate=" + rate +
         "; limit_req_status 429;\n"
         "server { listen 127.0.0.1:PORT; location / { limit_req zone=clients " +
         burst + "; root FOLDER; } }";
}

Peer::Behaviour always(const std::string& bytes) {
  return [bytes](PeerConnection& connection) {
    while (connection.read_request() && connection.write(bytes)) {
    }
  };
}

}  // namespace

TEST_CASE("hit --target prints each answer with its status, and exit 1 means that one was denied") {
  const Nginx nginx(limited("1r/m", "burst=2 nodelay"));
  const Outcome outcome = run_rlctl({"hit", "--target", nginx.url(), "--requests", "4"});
  CHECK(outcome.exit == 1);
  CHECK(outcome.out ==
        "allowed, status 200\nallowed, status 200\nallowed, status 200\ndenied, status 429\n");
  CHECK(outcome.err.empty());
  const Outcome as_json = run_rlctl({"hit", "--target", nginx.url(), "--json"});
  const json body = json::parse(as_json.out);
  CHECK(body["schema"] == "rlctl.hit/1");
  CHECK(body["target"] == nginx.url());
  CHECK(body["decisions"][0]["allowed"] == false);
  CHECK(body["decisions"][0]["status"] == 429);
}

TEST_CASE("hit --target shows the limits from the headers") {
  const Peer peer(
      always(rlctl::test::response(429, "Retry-After: 7\r\nRateLimit: \"a\";r=0;t=7\r\n")));
  const Outcome outcome = run_rlctl({"hit", "--target", peer.url()});
  CHECK(outcome.out == "denied, status 429, 0 left, retry after 7.00 s\n");
}

TEST_CASE("a target that is missing or answers otherwise is exit 3 with what to try") {
  const Peer lost(always(rlctl::test::response(404)));
  const Outcome missing = run_rlctl({"hit", "--target", lost.url("/v5/movies")});
  CHECK(missing.exit == 3);
  CHECK(contains(missing.err, "status 404, neither allowed nor denied; check the path"));
  CHECK(missing.out.empty());
  const Outcome nobody = run_rlctl({"hit", "--target", "http://127.0.0.1:1/"});
  CHECK(nobody.exit == 3);
  CHECK(contains(nobody.err, "connection refused; check that the service listens there"));
  const Outcome probed = run_rlctl({"probe", "http://127.0.0.1:1/", "--quiet"});
  CHECK(probed.exit == 3);
  CHECK(contains(probed.err, "connection refused; check that the service listens there"));
  const Peer hangs([](PeerConnection& connection) { connection.hang(); });
  const Outcome slow =
      run_rlctl({"probe", hangs.url(), "--timeout", "300ms", "--for", "500ms", "--quiet"});
  CHECK(slow.exit == 3);
  CHECK(slow.out.empty());
  CHECK(contains(slow.err, "no reply within 300ms; allow more with --timeout"));
  // It does not play for five minutes what nobody answers.
  const Outcome played = run_rlctl({"simulate", "poisson", "--rate", "10/1s", "--for", "5m",
                                    "--target", "http://127.0.0.1:1/", "--quiet"});
  CHECK(played.exit == 3);
  CHECK(contains(played.err,
                 "the target made no decision: connection refused; "
                 "check that the service listens there"));
}

TEST_CASE("a service that goes away during probe leaves what is known, and the log") {
  TestRedis redis;
  const Serving serve({"--redis", redis.url(), "--limit", "3", "--window", "1h"});
  const Folder folder;
  const std::string log = folder / "l.jsonl";
  const auto kill = [&] {
    if (redis.calls("evalsha") < 8) return false;
    serve.signal(SIGKILL);
    return true;
  };
  constexpr int kNoSignal = 0;  // the service is killed, and not probe
  const Outcome told = run_rlctl_interrupted(
      {"probe", "http://127.0.0.1:" + std::to_string(serve.port()) + "/", "--log", log, "--quiet"},
      kill, kNoSignal);
  INFO(told.out << told.err);
  CHECK(told.exit == 3);
  CHECK(contains(told.err, "after "));
  CHECK(contains(told.err, " went away: connection refused; check that the service listens there"));
  CHECK(contains(told.out, "too few answers to refute anything when there were no more answers"));
  CHECK(contains(told.out, "examined with "));
  CHECK(contains(run_program("grep", {"-c", "allowed", log}).out, "3"));
}

TEST_CASE("probe that is interrupted tells what is known so far") {
  TestRedis redis;
  const Serving serve({"--redis", redis.url(), "--limit", "3", "--window", "1h"});
  for (const bool as_json : {false, true}) {
    const auto calls = redis.calls("evalsha");
    Arguments probe{"probe", "http://127.0.0.1:" + std::to_string(serve.port()) + "/", "--quiet"};
    if (as_json) probe.emplace_back("--json");
    const Outcome told =
        run_rlctl_interrupted(probe, [&] { return redis.calls("evalsha") >= calls + 8; });
    INFO(told.out << told.err);
    CHECK(told.exit == 130);
    CHECK(contains(told.err, "interrupted after "));
    CHECK(contains(told.out, as_json
                                 ? R"("result":"interrupted")"
                                 : "too few answers to refute anything when it was interrupted"));
  }
}

TEST_CASE("answers of an unknown status are told, and keep probe from a finding") {
  std::atomic<int> requests = 0;
  const Peer fails([&](PeerConnection& connection) {
    while (connection.read_request() &&
           connection.write(rlctl::test::response(++requests % 3 == 0 ? 503 : 200))) {
    }
  });
  const Outcome told = run_rlctl({"probe", fails.url(), "--up-to", "30", "--quiet"});
  INFO(told.out << told.err);
  CHECK(told.exit == 4);
  CHECK(contains(told.out,
                 "  10 were answered with status 503, neither allowed nor denied: "
                 "add --denied 429,503 if it denies\n"));
  CHECK_FALSE(contains(told.out, "not answered"));
}

TEST_CASE("a service that goes away among requests at once is told, and no limit is") {
  std::atomic<int> requests = 0;
  const Peer ends([&](PeerConnection& connection) {
    while (connection.read_request() && ++requests <= 30 &&
           connection.write(rlctl::test::response(200))) {
    }
  });
  const Outcome told = run_rlctl({"probe", ends.url(), "--up-to", "20", "--quiet"});
  INFO(told.out << told.err);
  CHECK(told.exit == 3);
  CHECK(contains(told.err, "while requests were sent at once, " + ends.url()));
  CHECK(contains(told.out, " at once\n"));  // how many were sent
  CHECK_FALSE(contains(told.out, "no limit for"));
}

TEST_CASE("a service that admits nothing ends probe with exit 4") {
  const Peer denies(always(rlctl::test::response(429)));
  const Arguments probe{"probe", denies.url(), "--for", "200ms", "--quiet"};
  const Outcome told = run_rlctl(probe);
  CHECK(told.exit == 4);
  CHECK(contains(told.out, "nothing was admitted, so nothing is known of the limit"));
  Arguments as_json = probe;
  as_json.emplace_back("--json");
  const Outcome in_json = run_rlctl(as_json);
  CHECK(in_json.exit == 4);
  CHECK(json::parse(in_json.out)["result"] == "never_admitted");
}

TEST_CASE("what is not the service's doing is named, with what to do about it") {
  const Peer plain(always(rlctl::test::response(400)));
  const Peer no_tls([](PeerConnection& connection) {
    connection.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    connection.hang();
  });
  const std::string tls = "https" + no_tls.url().substr(4);
  const std::pair<Arguments, const char*> cases[] = {
      {{plain.url(), "--proxy", "http://127.0.0.1:1"},
       "the proxy http://127.0.0.1:1: connection refused; check the proxy, or remove --proxy"},
      {{plain.url(), "--source-ip", "192.0.2.1"},
       "name an address of this machine with --source-ip"},
      {{plain.url(), "--http2"}, "the server does not speak HTTP/2; remove --http2"},
      {{plain.url()},
       "status 400, neither allowed nor denied; check the path, the method, the headers and the "
       "body"},
      {{tls}, "this port does not speak TLS; use http://"},
      {{tls, "--engine", "curl"}, "this port does not speak TLS; use http://"}};
  for (const auto& [arguments, words] : cases) {
    Arguments hit{"hit", "--target"};
    hit.insert(hit.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_rlctl(hit);
    CAPTURE(words);
    INFO(outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, words));
    CHECK_FALSE(contains(outcome.err, "that the service listens"));
  }
}

TEST_CASE("a status that is neither allowed nor denied is named with the option that decides") {
  std::atomic<int> requests = 0;
  std::atomic<int> first = 302;
  std::atomic<int> then = 429;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request() &&
           connection.write(rlctl::test::response(++requests <= 3 ? first : then))) {
    }
  });
  const Folder folder;
  const auto play = [&](const std::string& log) {
    requests = 0;
    return run_rlctl({"simulate", "bot", "--target", peer.url(), "--rate", "50/1s", "--for",
                      "200ms", "--limit", "3", "--window", "10s", "--quiet", "--json", "--log",
                      log});
  };
  const std::string redirects = folder / "redirects.jsonl";
  const Outcome redirected = play(redirects);
  CHECK(redirected.exit == 4);
  CHECK(contains(redirected.out, "add --allowed 2xx,302 if it admits"));
  CHECK(contains(run_rlctl({"verify", redirects}).out, "add --allowed 2xx,302 if it admits"));
  first = 200;
  then = 503;
  const std::string refusals = folder / "refusals.jsonl";
  const Outcome refused = play(refusals);
  CHECK(refused.exit == 3);
  CHECK(contains(refused.err, "answered 503; add --denied 429,503 if it denies"));
  const Outcome verified = run_rlctl({"verify", refusals});
  CHECK(verified.exit == 4);
  CHECK(contains(verified.out, "answered with status 503, which is neither allowed nor denied"));
  CHECK(contains(verified.out, "add --denied 429,503 if it denies"));
}

TEST_CASE("a password in the target is never printed") {
  const Peer peer(always(rlctl::test::response(503)));
  std::string url = peer.url();
  url.insert(std::string("http://").size(), "ann:canary@");
  for (const Arguments& arguments :
       {Arguments{"hit", "--target", url},
        Arguments{"simulate", "double-click", "--target", url, "--limit", "1", "--window", "1s"}}) {
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 3);
    CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
  }
}

TEST_CASE("a secret is in no output, no file and no list of processes") {
  const std::string secret = "CANARY";
  std::once_flag looked;
  std::string processes;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request()) {
      std::call_once(looked, [&] { processes = command_lines_with("api_key"); });
      if (!connection.write(rlctl::test::response(200))) return;
    }
  });
  const Folder folder;
  std::string url = peer.url() + "?api_key=" + secret;
  url.insert(url.find("//") + 2, "bob:" + secret + "@");
  const std::string log = folder / "run.jsonl";
  const Outcome played =
      run_rlctl({"simulate", "bot", "--target", url, "--limit", "3", "--window", "1s", "--for",
                 "1s", "-H", "X-Api-Key: " + secret, "--header=Cookie: " + secret, "--body",
                 "pin=" + secret, "--json", "--log", log});
  CHECK(contains(played.out, "\"command\""));
  const Outcome page = run_rlctl({"report", log, "-o", folder / "r.html", "--markdown",
                                  folder / "r.md", "--junit", folder / "r.xml"});
  CHECK(page.exit == 0);
  CHECK(contains(processes, "simulate"));
  for (const std::string& text :
       {played.out, played.err, folder.read("run.jsonl"), folder.read("r.html"),
        folder.read("r.md"), folder.read("r.xml"), processes})
    CHECK_FALSE(contains(text, secret));
}

TEST_CASE("hit tells the last request of which nobody knows whether it was counted") {
  std::atomic<int> asked = 0;
  const Peer peer([&](PeerConnection& connection) {
    while (connection.read_request() && ++asked <= 2)
      if (!connection.write(rlctl::test::response(200))) return;
  });
  const Outcome outcome = run_rlctl({"hit", "--target", peer.url(), "--requests", "4"});
  CHECK(outcome.exit == 3);
  CHECK(outcome.out ==
        "allowed, status 200\nallowed, status 200\nunknown, may have been counted\n");
  asked = 2;
  const Outcome as_json = run_rlctl({"hit", "--target", peer.url(), "--json"});
  CHECK(json::parse(as_json.out)["decisions"].at(0)["allowed"].is_null());
}

TEST_CASE("a secret is in no message about a mistake") {
  const std::string secret = "CANARY";
  const auto simulated = [&](const Arguments& more) {
    Arguments arguments{"simulate", "bot", "--limit", "3", "--window", "1s", "--for", "1s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_rlctl(arguments);
  };
  const Arguments local{"--target", "http://127.0.0.1:1/"};
  for (const Arguments& wrong : std::initializer_list<Arguments>{
           {"--target", "http://bob:" + secret + "@host:99999"},
           {"--target", "ftp://bob:" + secret + "@host/"},
           {"--target", "bob:" + secret + "@host"},
           {"--target", "http://bob:" + secret + "@<ip>/"},
           {"--target", local[1], "--proxy", "foo://p:" + secret + "@host"},
           {"--target", local[1], "--proxy", "http://p:" + secret + "@host:99999"},
           {"--target", local[1], "-H", "Authorization " + secret},
           {"--target", local[1], "-H", "Author ization: " + secret},
           {"--redis", "redis://bob:" + secret + "@host:99999"}}) {
    const Outcome outcome = simulated(wrong);
    INFO(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK_FALSE(contains(outcome.out + outcome.err, secret));
  }
}

TEST_CASE("nginx's leaky bucket holds, for one client and for many") {
  const Nginx nginx(limited("20r/s", "burst=10 nodelay"));
  const Folder folder;
  // On a busy machine nginx reads its clock late, and then admits the next request a little early.
  const auto write = [&](const std::string& name, const std::string& source_ip) {
    json scenario = json::parse(R"({
      "clock": "wall", "verdict": "violated", "own_contract": "holds",
      "policies": {"nginx": {"limit": 20, "window": "1s", "contract": "bucket 11 + 20/1s",
                             "tolerance": "200ms", "key": "<ip>"}},
      "identities": {"clients": {"count": 4, "ip": "10.0.1.0/24"}},
      "phases": [{"name": "flood", "policy": "nginx", "who": "clients", "users": 4,
                  "for": "1500ms"}]})");
    scenario["name"] = name;
    scenario["target"] = {{"kind", "http"}, {"url", nginx.url()}};
    if (!source_ip.empty()) scenario["target"]["source_ip"] = source_ip;
    folder.write(name + ".scenario.json", scenario.dump());
  };
  write("first-one", "");
  write("second-many", "127.0.0.0/8");
  const Outcome outcome = run_rlctl({"run", folder.path()});
  INFO(outcome.out);
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
}

TEST_CASE("a contract with a smaller bucket than nginx's is found violated") {
  const Nginx nginx(limited("20r/s", "burst=10 nodelay"));
  const Outcome outcome = run_rlctl({"simulate", "flood", "--target", nginx.url(), "--users", "8",
                                     "--for", "500ms", "--limit", "20", "--window", "1s",
                                     "--contract", "bucket 9 + 20/1s", "--json", "--quiet"});
  const json body = json::parse(outcome.out);
  CHECK(body["own_contract"]["verdict"] == "violated");
}

TEST_CASE("a target that only answers 404 gives no verdict but exit 3") {
  const Peer lost(always(rlctl::test::response(404)));
  const Outcome outcome = run_rlctl({"simulate", "double-click", "--target", lost.url(), "--limit",
                                     "1", "--window", "1s", "--quiet"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "answered 404; check the path"));
}

TEST_CASE("a target that refuses, hangs or cuts its replies ends the run in time, with exit 3") {
  const Peer hangs([](PeerConnection& connection) { connection.hang(); });
  const Peer cuts([](PeerConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  });
  for (const std::string& url : {std::string("http://127.0.0.1:1/"), hangs.url(), cuts.url()}) {
    const Outcome outcome = run_rlctl({"simulate", "double-click", "--target", url, "--limit", "1",
                                       "--window", "1s", "--timeout", "200ms", "--quiet"});
    CAPTURE(url);
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, "the target made no decision"));
    CHECK_FALSE(contains(outcome.out, "allowed, status"));
  }
}

TEST_CASE("a Retry-After that does not hold is found") {
  // Rounded down to 0: a client that returns at once is denied again.
  const Peer peer(always(rlctl::test::response(429, "Retry-After: 0\r\n")));
  const Outcome outcome = run_rlctl({"simulate", "bot", "--target", peer.url(), "--rate", "20/1s",
                                     "--for", "1s", "--limit", "1", "--window", "1s", "--quiet"});
  CHECK(contains(outcome.out, "clients that waited for Retry-After were denied again"));
  CHECK(contains(outcome.out, "Retry-After: 0"));
}

// The server answers quickly, so that most of them would not be needed.
TEST_CASE("an open loop connects before it begins") {
  const Peer peer([](PeerConnection& connection) {
    while (connection.read_request() && connection.write(rlctl::test::response(200))) {
    }
  });
  const Outcome outcome =
      run_rlctl({"simulate", "bot", "--target", peer.url(), "--rate", "1000/1s", "--for", "20ms",
                 "--limit", "1000", "--window", "1s", "--quiet", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(json::parse(outcome.out)["phases"][0]["allowed"] == 20);
  CHECK(peer.connections() >= 20);
}

TEST_CASE("a false reset is found, in the draft's fields and in the older ones") {
  for (const char* fields :
       {"RateLimit: \"a\";r=0;t=30\r\n", "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 30\r\n"}) {
    const Peer peer(always(rlctl::test::response(200, fields)));
    const Outcome outcome = run_rlctl({"simulate", "bot", "--target", peer.url(), "--rate", "5/1s",
                                       "--for", "1s", "--limit", "1", "--window", "1s", "--quiet"});
    INFO(fields << outcome.out);
    CHECK(contains(outcome.out, "an exhausted limit admitted a request before its reset"));
  }
}

TEST_CASE("a log is replayed over HTTP by the clients that its keys were made for") {
  TestRedis redis;
  const Serving serving({"--route", "/x", "--key", "k:<user>", "--limit", "2", "--window", "60s",
                         "--algo", "sliding-list", "--redis", redis.url()});
  const Folder folder;
  folder.write("old.csv",
               "sent_us,received_us,outcome,key\n"
               "1000000,1000100,allowed,api:ann\n"
               "1010000,1010100,allowed,api:bob\n"
               "1020000,1020100,allowed,api:ann\n"
               "1030000,1030100,allowed,api:ann\n");
  json scenario = json::parse(R"({
      "name": "replay", "clock": "wall", "verdict": "holds",
      "policies": {"api": {"limit": 2, "window": "60s", "key": "api:<user>"}},
      "identities": {"nobody": {"ip": "10.0.0.1"}},
      "phases": [{"name": "again", "policy": "api", "replay": "old.csv"}],
      "expect": ["denied == 1", "denied{key=api:ann} == 1", "allowed{key=api:bob} == 1"]})");
  scenario["target"] = {{"kind", "http"},
                        {"url", "http://127.0.0.1:" + std::to_string(serving.port()) + "/x"},
                        {"headers", {{"X-User-Id", "<user>"}}}};
  scenario["budget"] = {{"late", "100%"}};  // it is not about time
  const Outcome outcome = run_rlctl({"run", folder.write("replay.json", scenario.dump())});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(redis.number({"EXISTS", "k:bob"}) == 1);
}

namespace {

// A flood for a window of one second, 2 s long, by 8 clients with one key each.
json flooded(const Serving& serving, const Arguments& more = {}) {
  Arguments arguments{"simulate",    "flood",
                      "--target",    "http://127.0.0.1:" + std::to_string(serving.port()) + "/x",
                      "--source-ip", "127.0.0.0/8",
                      "--users",     "8",
                      "--for",       "2s",
                      "--limit",     "10",
                      "--window",    "1s",
                      "--contract",  "10/1s",
                      "--json",      "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.err);
  return json::parse(outcome.out);
}

Arguments guarded_by(TestRedis& redis, const std::string& algorithm) {
  return {"--route",  "/x", "--key",  "k:<ip>",  "--limit", "10",
          "--window", "1s", "--algo", algorithm, "--redis", redis.url()};
}

}  // namespace

TEST_CASE("a sound limiter behind HTTP holds, without time stamps from the limiter") {
  TestRedis redis;
  const Serving serving(guarded_by(redis, "sliding-list"));
  const json body = flooded(serving);
  INFO(body["reason"]);
  CHECK(body["verdict"] == "holds");
  CHECK(body["totals"]["denied"] > 0);
  CHECK(body["keys"].size() == 8);
}

TEST_CASE("a limiter behind HTTP that admits one too many is violated") {
  TestRedis redis;
  const Serving serving(
      guarded_by(redis, std::string(RLCTL_SOURCE_DIR) + "/tests/cli/scripts/eleventh.lua"));
  const json body = flooded(serving);
  CHECK(body["verdict"] == "violated");
  CHECK(body["totals"]["max_certain"] == 11);
}

TEST_CASE("what a request used is read from its answer, and counts") {
  const auto largest_sum = [](const std::string& from, const std::string& fields,
                              const std::string& body) {
    const Peer peer(always(rlctl::test::response(200, fields, body)));
    const Outcome outcome =
        run_rlctl({"simulate", "double-click", "--target", peer.url(), "--policy", "100/1m",
                   "--cost-from", from, "--json", "--quiet"});
    CHECK(outcome.exit == 1);
    return json::parse(outcome.out)["totals"]["max_certain"];
  };
  CHECK(largest_sum("header x-used", "X-Used: 133\r\n", "ok") == 26'866);
  CHECK(largest_sum("/usage/total_tokens", "", R"({"usage": {"total_tokens": 133}})") == 26'866);
  const Peer silent(always(rlctl::test::response(200)));
  const Outcome unknown =
      run_rlctl({"simulate", "double-click", "--target", silent.url(), "--policy", "100/1m",
                 "--cost-from", "header x-used", "--json", "--quiet"});
  CHECK(unknown.exit != 0);
  const Outcome wrong = run_rlctl({"simulate", "double-click", "--target", silent.url(), "--policy",
                                   "100/1m", "--cost-from", "x-used"});
  CHECK(wrong.exit == 2);
  CHECK(contains(wrong.err, "'x-used' is not a place in an answer"));
}
