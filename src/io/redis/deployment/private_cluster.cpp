#include "io/redis/deployment/private_cluster.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/deployment/hash_slot.h"

namespace rlctl {
namespace {

constexpr std::int64_t kFormTimeoutUs = 20'000'000;
constexpr std::int64_t kAskAgainUs = 20'000;
constexpr int kPortTries = 200;
constexpr int kStartTries = 5;
constexpr int kBusOffset = 10'000;
// A node that does not answer for so long has failed; its replica takes over soon after.
constexpr const char* kNodeTimeoutMs = "1000";

bool is_free(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return bound;
}

std::string random_password() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

ServerSettings node_settings(const std::string& password) {
  return {free_port_pair(),
          password,
          {"--cluster-enabled", "yes", "--cluster-node-timeout", kNodeTimeoutMs,
           "--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0",
           "--repl-ping-replica-period", "1"},
          {}};
}

// Another process may take the port before the server has it.
std::unique_ptr<ServerProcess> start_node(const std::string& program, const std::string& password) {
  for (int attempt = 1;; ++attempt) {
    try {
      return std::make_unique<ServerProcess>(program, node_settings(password));
    } catch (const Error&) {
      if (attempt == kStartTries) throw;
    }
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

int count_words(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) ++count;
  return count;
}

}  // namespace

std::uint16_t free_port_pair() {
  std::random_device random;
  for (int attempt = 0; attempt < kPortTries; ++attempt) {
    const int port = std::uniform_int_distribution<int>(10'000, 22'000)(random);
    if (is_free(port) && is_free(port + kBusOffset)) return static_cast<std::uint16_t>(port);
  }
  throw Error(Exit::target, "no two free ports were found on 127.0.0.1 for a private cluster",
              "close other servers, or give --redis URL");
}

PrivateCluster::PrivateCluster(const std::string& program, ClusterSize size) : size_(size) {
  const std::string password = random_password();
  for (int node = 0; node < size.masters + size.replicas; ++node)
    nodes_.push_back(start_node(program, password));
}

std::vector<Endpoint> PrivateCluster::endpoints() const {
  std::vector<Endpoint> endpoints;
  for (const auto& node : nodes_) endpoints.push_back(node->tcp_endpoint());
  return endpoints;
}

Task<std::string> PrivateCluster::tell(std::size_t node, std::vector<std::string> words) {
  Reply reply = co_await steering_->tell(node, std::move(words));
  co_return std::move(reply.text);
}

Task<> PrivateCluster::assign_slots() {
  const auto masters = static_cast<std::size_t>(size_.masters);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    std::vector<std::string> epoch{"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(node + 1)};
    co_await tell(node, std::move(epoch));
    if (node >= masters) continue;
    std::vector<std::string> slots{"CLUSTER", "ADDSLOTS"};
    for (std::size_t slot = node * kSlots / masters; slot < (node + 1) * kSlots / masters; ++slot)
      slots.push_back(std::to_string(slot));
    co_await tell(node, std::move(slots));
  }
}

Task<> PrivateCluster::meet() {
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    std::vector<std::string> words{"CLUSTER", "MEET", "127.0.0.1",
                                   std::to_string(endpoint_of(node).port)};
    co_await tell(0, std::move(words));
  }
}

Task<> PrivateCluster::wait_for(Loop& loop, std::size_t node, std::vector<std::string> question,
                                Answered answered) {
  const std::int64_t deadline_us = now_us() + kFormTimeoutUs;
  for (;;) {
    const std::string answer = co_await tell(node, question);
    if (answered(answer)) co_return;
    if (now_us() > deadline_us)
      throw Error(Exit::target, "the private servers did not become a cluster within 20 s",
                  "is the machine overloaded? try again, or give --redis URL");
    co_await loop.until(now_us() + kAskAgainUs);
  }
}

Task<> PrivateCluster::wait_for_state(Loop& loop, std::string words) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    std::vector<std::string> question{"CLUSTER", "INFO"};
    Answered says = [&words](const std::string& answer) { return contains(answer, words); };
    co_await wait_for(loop, node, std::move(question), std::move(says));
  }
}

// Gossip takes a moment: every node must know which are replicas.
Task<> PrivateCluster::wait_for_replicas(Loop& loop) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    std::vector<std::string> question{"CLUSTER", "NODES"};
    Answered all = [this](const std::string& answer) {
      return count_words(answer, "slave") == size_.replicas;
    };
    co_await wait_for(loop, node, std::move(question), std::move(all));
  }
}

Task<> PrivateCluster::add_replicas(Loop& loop) {
  const auto masters = static_cast<std::size_t>(size_.masters);
  for (std::size_t node = masters; node < nodes_.size(); ++node) {
    std::vector<std::string> my_id{"CLUSTER", "MYID"};
    const std::string master = co_await tell((node - masters) % masters, std::move(my_id));
    std::vector<std::string> words{"CLUSTER", "REPLICATE", master};
    co_await tell(node, std::move(words));
  }
  for (std::size_t node = masters; node < nodes_.size(); ++node) {
    std::vector<std::string> question{"INFO", "replication"};
    Answered synced = [](const std::string& answer) {
      return contains(answer, "master_link_status:up");
    };
    co_await wait_for(loop, node, std::move(question), std::move(synced));
  }
  co_await wait_for_replicas(loop);
}

Task<> PrivateCluster::form(Loop& loop) {
  steering_ = std::make_unique<ClusterSteering>(loop, endpoints());
  co_await assign_slots();
  co_await meet();
  co_await wait_for_state(loop, fmt::format("cluster_known_nodes:{}\r", nodes_.size()));
  co_await wait_for_state(loop, "cluster_slots_ok:16384");
  co_await add_replicas(loop);
  co_await wait_for_state(loop, "cluster_state:ok");
  steering_->close();
}

}  // namespace rlctl
