#include "redis/sentinel_trio.h"

#include <signal.h>

#include <stdexcept>

#include "io/clock.h"
#include "redis/private_redis.h"
#include "tools/free_port.h"

namespace rlctl::test {
namespace {

constexpr std::int64_t kPatienceUs = 60'000'000;
constexpr int kSentinels = 3;

std::string field(const Reply& reply, const std::string& name) {
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    if (reply.elements[i].text == name) return reply.elements[i + 1].text;
  return {};
}

}  // namespace

SentinelTrio::SentinelTrio(std::string password) : password_(std::move(password)) {
  const std::string of_sentinels = password_.empty()
                                       ? ""
                                       : "sentinel auth-pass mymaster " + password_ +
                                             "\nsentinel sentinel-pass " + password_ + "\n";
  servers_.push_back(start({}, {}));
  const std::string master = "127.0.0.1 " + std::to_string(servers_[0]->tcp_endpoint().port);
  for (std::size_t i = 0; i < kReplicas; ++i)
    servers_.push_back(
        start({"--replicaof", "127.0.0.1", std::to_string(servers_[0]->tcp_endpoint().port),
               "--repl-diskless-sync-delay", "0"},
              {}));
  for (int i = 0; i < kSentinels; ++i)
    sentinels_.push_back(start({"--sentinel"}, "sentinel monitor mymaster " + master +
                                                   " 2\n"
                                                   "sentinel down-after-milliseconds mymaster 500\n"
                                                   "sentinel failover-timeout mymaster 5000\n" +
                                                   of_sentinels));
  master_ = server_pid(servers_[0]->tcp_endpoint());
  wait_until_known();
}

SentinelTrio::~SentinelTrio() { thaw_master(); }

std::unique_ptr<ServerProcess> SentinelTrio::start(std::vector<std::string> arguments,
                                                   std::string lines) {
  for (int attempt = 0;; ++attempt) {
    try {
      return std::make_unique<ServerProcess>(
          "redis-server", ServerSettings{free_port(), password_, arguments, lines});
    } catch (const std::exception&) {
      if (attempt == 5) throw;
    }
  }
}

Reply SentinelTrio::ask(const ServerProcess& server, std::vector<std::string> words) {
  std::unique_ptr<Connection>& connection = connections_[&server];
  if (!connection) connection = std::make_unique<Connection>(loop_);
  Endpoint endpoint = server.tcp_endpoint();
  endpoint.timeout_us = kPatienceUs;
  if (!connection->is_open()) loop_.run(connection->connect(endpoint));
  return loop_.run(send_words(*connection, std::move(words))).reply;
}

Reply SentinelTrio::ask_master(std::vector<std::string> words) {
  return ask(*servers_.front(), std::move(words));
}

Reply SentinelTrio::ask_sentinel(std::vector<std::string> words) {
  return ask(*sentinels_.front(), std::move(words));
}

Reply SentinelTrio::ask_replica(std::size_t replica, std::vector<std::string> words) {
  return ask(*servers_[1 + replica], std::move(words));
}

// Every Sentinel knows the two others and both replicas.
void SentinelTrio::wait_until_known() {
  const std::int64_t deadline_us = now_us() + kPatienceUs;
  for (const auto& sentinel : sentinels_) {
    for (;;) {
      const Reply reply = ask(*sentinel, {"SENTINEL", "MASTER", "mymaster"});
      if (field(reply, "num-slaves") == "2" && field(reply, "num-other-sentinels") == "2") break;
      if (now_us() > deadline_us) throw std::runtime_error("the Sentinels do not find each other");
      loop_.run(pause(loop_, 50'000));
    }
  }
}

void SentinelTrio::freeze_master() const { ::kill(master_, SIGSTOP); }
void SentinelTrio::thaw_master() const { ::kill(master_, SIGCONT); }

std::string SentinelTrio::url() const {
  std::string url = "redis+sentinel://" + (password_.empty() ? "" : ":" + password_ + "@");
  for (const auto& sentinel : sentinels_)
    url += (url.ends_with('/') || url.ends_with('@') ? "" : ",") + std::string("127.0.0.1:") +
           std::to_string(sentinel->tcp_endpoint().port);
  return url + "/mymaster";
}

}  // namespace rlctl::test
