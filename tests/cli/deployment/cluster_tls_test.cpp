// The verbs over a cluster that speaks TLS, also between its nodes' clients.
#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/support/process.h"
#include "io/clock.h"
#include "io/redis/deployment/private_cluster.h"
#include "redis/private_redis.h"
#include "tools/free_port.h"
#include "tools/test_authority.h"

using nlohmann::json;
using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::size_t kNodes = 3;
constexpr std::int64_t kPatienceUs = 60'000'000;

// Three masters, each with a port for TLS, which is the one of the map, and a plain one for the
// test.
class TlsCluster {
 public:
  TlsCluster() {
    for (std::size_t node = 0; node < kNodes; ++node) start_node();
    for (std::size_t node = 0; node < kNodes; ++node) {
      command(node, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(node * 16384 / kNodes),
                     std::to_string((node + 1) * 16384 / kNodes - 1)});
      command(node, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(node + 1)});
    }
    for (std::size_t node = 1; node < kNodes; ++node)
      command(node, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(tls_ports_[0])});
    for (std::size_t node = 0; node < kNodes; ++node) wait_until_whole(node);
  }

  Arguments trusting(Arguments arguments) const {
    arguments.insert(arguments.begin() + 1,
                     {"--redis", "rediss://127.0.0.1:" + std::to_string(tls_ports_[0]), "--cacert",
                      authority_.file()});
    return arguments;
  }

  std::int64_t keys() {
    std::int64_t sum = 0;
    for (std::size_t node = 0; node < kNodes; ++node) sum += command(node, {"DBSIZE"}).integer;
    return sum;
  }

 private:
  // Another process may take a port before the server has it.
  void start_node() {
    const IssuedFiles files = authority_.issue("IP:127.0.0.1");
    for (int attempt = 1;; ++attempt) {
      const std::uint16_t port = free_port_pair();
      const Arguments settings{"--cluster-enabled",  "yes",
                               "--tls-cluster",      "yes",
                               "--tls-port",         std::to_string(port),
                               "--tls-ca-cert-file", authority_.file(),
                               "--tls-cert-file",    files.certificate,
                               "--tls-key-file",     files.key,
                               "--tls-auth-clients", "no"};
      try {
        nodes_.push_back(std::make_unique<ServerProcess>(
            "redis-server", ServerSettings{free_port(), {}, settings, {}}));
      } catch (const std::exception&) {
        if (attempt == 5) throw;
        continue;
      }
      tls_ports_.push_back(port);
      connections_.push_back(std::make_unique<Connection>(loop_));
      loop_.run(connections_.back()->connect(nodes_.back()->endpoint()));
      return;
    }
  }

  Reply command(std::size_t node, std::vector<std::string> words) {
    return loop_.run(send_words(*connections_[node], std::move(words))).reply;
  }

  void wait_until_whole(std::size_t node) {
    const std::int64_t deadline_us = now_us() + kPatienceUs;
    while (!contains(command(node, {"CLUSTER", "INFO"}).text, "cluster_state:ok") ||
           command(node, {"CLUSTER", "SLOTS"}).elements.size() != kNodes) {
      if (now_us() > deadline_us) throw std::runtime_error("the nodes do not become a cluster");
      loop_.run(pause(loop_, 20'000));
    }
  }

  TestAuthority authority_;
  std::vector<std::unique_ptr<ServerProcess>> nodes_;
  std::vector<std::uint16_t> tls_ports_;
  Loop loop_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace

TEST_CASE("a cluster that speaks TLS: its keys are seen on all nodes, and traffic is judged") {
  TlsCluster servers;
  for (int i = 0; i < 9; ++i) {
    const Outcome hit = run_rlctl(servers.trusting(
        {"hit", "rl:10.0.0." + std::to_string(i), "--limit", "5", "--window", "1h"}));
    INFO(hit.out << hit.err);
    CHECK(hit.exit == 0);
  }
  const Outcome list = run_rlctl(servers.trusting({"list", "--json"}));
  INFO(list.err);
  CHECK(list.exit == 0);
  CHECK(json::parse(list.out)["total"] == 9);
  const Outcome load = run_rlctl(servers.trusting({"load", "fixed", "--json"}));
  CHECK(load.exit == 0);
  CHECK(json::parse(load.out)["nodes"] == kNodes);
  const Outcome simulate =
      run_rlctl(servers.trusting({"simulate", "double-click", "--policy", "5/1s", "--quiet"}));
  INFO(simulate.out << simulate.err);
  // A busy machine may send too late to prove anything.
  CHECK((simulate.exit == 0 || simulate.exit == 4));
  CHECK(run_rlctl(servers.trusting({"reset", "rl:10.0.0.*", "--yes"})).exit == 0);
  CHECK(servers.keys() == 0);
}
