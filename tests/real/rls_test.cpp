// Envoy's rate limit service as a target, by two implementations of gRPC that others wrote, with
// fixed windows of the clock.
#include <doctest/doctest.h>

#include "cli/support/process.h"
#include "http/nginx.h"
#include "real/judged.h"
#include "real/server.h"

using namespace rlctl::test;

namespace {

enum class Grpc { python, node };
constexpr Grpc kAllGrpc[] = {Grpc::python, Grpc::node};

struct RlsServer : Server {
  RlsServer(Grpc by, const std::string& kind, int limit, int window_ms,
            const std::string& certificates = {})
      : Server(command(by, kind, limit, window_ms, certificates), 0) {}

  static Arguments command(Grpc by, const std::string& kind, int limit, int window_ms,
                           const std::string& certificates) {
    const std::string here = RLCTL_SOURCE_DIR "/tests/real/rls_server";
    // grpcio is Debian's, so it is for Debian's Python.
    Arguments words = by == Grpc::python ? Arguments{"/usr/bin/python3", here + ".py"}
                                         : node_program(here + ".js");
    for (const std::string& word : {kind, std::to_string(limit), std::to_string(window_ms)})
      words.push_back(word);
    if (!certificates.empty()) words.push_back(certificates);
    return words;
  }

  std::string rls() const {
    const std::string place = url().substr(url().find("://"));
    return "rls" + place.substr(0, place.size() - 1);
  }
};

bool is_here(Grpc by) { return by == Grpc::python || has_node_packages(); }

Outcome hit(const std::string& url, const std::string& user, Arguments more = {}) {
  Arguments all{"hit", "--target", url, "--domain", "api", "--descriptor", "path=/,user=" + user};
  all.insert(all.end(), more.begin(), more.end());
  return run_rlctl(all);
}

Json judged_rls(const RlsServer& server, const std::string& rules, Json phase) {
  return judged(rules, {server.rls()}, std::move(phase), "0s",
                {{"domain", "api"}, {"descriptors", {{"client", "<ip>"}}}});
}

}  // namespace

TEST_CASE("hit asks a rate limit service, and each descriptor has a limit of its own") {
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer server(by, "sound", 3, 100'000'000);
    CHECK(hit(server.rls(), "ann", {"--requests", "3"}).out ==
          "allowed, 2 left\nallowed, 1 left\nallowed, 0 left\n");
    const Outcome denied = hit(server.rls(), "ann");
    CHECK(denied.exit == 1);
    CHECK(denied.out.starts_with("denied, 0 left, retry after "));
    CHECK(hit(server.rls(), "bob").out == "allowed, 2 left\n");
    const Outcome both = hit(server.rls(), "bob", {"--descriptor", "user=eve", "--requests", "2"});
    CHECK(both.out == "allowed, 1 left\nallowed, 0 left\n");
  }
}

TEST_CASE("the cost of a hit is the hits_addend of its request") {
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer sound(by, "sound", 10, 100'000'000);
    CHECK(hit(sound.rls(), "ann", {"--cost", "4", "--requests", "2"}).out ==
          "allowed, 6 left\nallowed, 2 left\n");
    CHECK(hit(sound.rls(), "ann", {"--cost", "4"}).out.starts_with("denied, 2 left, retry after "));
    const RlsServer deaf(by, "deaf", 10, 100'000'000);
    CHECK(hit(deaf.rls(), "ann", {"--cost", "4"}).out == "allowed, 9 left\n");
  }
}

TEST_CASE("a rate limit service that keeps its windows holds, one that admits one more does not") {
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer sound(by, "sound", 10, 1'000);
    const Json kept = judged_rls(sound, "10/1s fixed", flood("2500ms"));
    CHECK(kept["verdict"] == "holds");
    CHECK(kept["totals"]["allowed"] >= 20);
    const RlsServer generous(by, "generous", 10, 1'000);
    // At once: where a window of its clock ends inside of a burst is not known, so that 11 may be of
    // two windows.
    CHECK(judged_rls(generous, "10/1s", bursts({{"0s", 30}}))["verdict"] == "violated");
  }
}

TEST_CASE("a rate limit service that does not look at hits_addend is found") {
  Json phase = bursts({{"0s", 6}});
  phase["cost"] = 3;
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer sound(by, "sound", 10, 100'000'000);
    const Json kept = judged_rls(sound, "10/100000s fixed", phase);
    CHECK(kept["verdict"] == "holds");
    CHECK(kept["totals"]["allowed"] == 3);
    const RlsServer deaf(by, "deaf", 10, 100'000'000);
    CHECK(judged_rls(deaf, "10/100000s fixed", phase)["verdict"] == "violated");
  }
}

TEST_CASE("a call that fails is no decision, and its status is told in words") {
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer server(by, "UNAVAILABLE", 3, 1'000);
    const Outcome one = hit(server.rls(), "ann");
    CHECK(one.exit == 3);
    CHECK(one.out == "");
    CHECK(one.err == "rlctl: no decision from '" + server.rls() +
                         "': gRPC status 14 (UNAVAILABLE): as it was told\n");
    const Outcome many =
        run_rlctl({"simulate", "double-click", "--target", server.rls(), "--domain", "api",
                   "--descriptor", "user=<user>", "--policy", "3/1s", "--quiet"});
    CHECK(many.exit == 3);
    CHECK(contains(many.err, "made no decision: gRPC status 14 (UNAVAILABLE): as it was told\n"));
  }
}

TEST_CASE("over TLS a rate limit service is asked by rlss://") {
  const Folder folder;
  make_certificate(folder, "IP:127.0.0.1");
  for (const Grpc by : kAllGrpc) {
    if (!is_here(by)) continue;
    const RlsServer server(by, "sound", 3, 100'000'000, folder / "");
    const std::string url = "rlss" + server.rls().substr(3);
    CHECK(hit(url, "ann", {"--cacert", folder / "cert.pem"}).out == "allowed, 2 left\n");
    CHECK(contains(hit(url, "ann").err, "certificate"));
  }
}

TEST_CASE("what was played against a rate limit service is judged again from its log") {
  const RlsServer server(Grpc::python, "generous", 2, 100'000'000);
  const Folder folder;
  const Outcome played = run_rlctl({"simulate", "double-click", "--target", server.rls(),
                                    "--domain", "api", "--descriptor", "user=<user>,ip=<ip>",
                                    "--policy", "2/100000s fixed", "--log", folder / "run.jsonl"});
  CHECK(played.exit == 1);
  const Outcome again = run_rlctl({"verify", folder / "run.jsonl"});
  CHECK(again.exit == 1);
  CHECK(contains(again.out, "violated"));
}

TEST_CASE("bench compares two rate limit services, and finds the one that admits one more") {
  const RlsServer sound(Grpc::python, "sound", 10, 1'000);
  const RlsServer generous(Grpc::python, "generous", 10, 1'000);
  const Outcome outcome =
      run_rlctl({"bench", "--target", sound.rls(), "--target", generous.rls(), "--domain", "api",
                 "--descriptor", "user=<user>", "--policy", "10/1s fixed", "--rounds", "1", "--for",
                 "50ms", "--quiet", "--json", "--check"});
  INFO(outcome.err);
  CHECK(outcome.exit == 1);
  const Json services = Json::parse(outcome.out)["algorithms"];
  REQUIRE(services.size() == 2);
  CHECK(services[0]["name"] == sound.rls());
  CHECK(services[0]["policy_verdict"] == "holds");
  CHECK(services[0]["decisions_per_second"] > 0);
  CHECK(services[1]["policy_verdict"] == "violated");
}
