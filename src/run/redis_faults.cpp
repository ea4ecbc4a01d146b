#include "run/redis_faults.h"

#include <signal.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "io/redis/command.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/server_info.h"

namespace rlctl {
namespace {

constexpr std::int64_t kAskAgainUs = 5'000;
constexpr const char* kProcess = "process_id";  // of INFO server

}  // namespace

EmbeddedRedis& RedisFaults::own_server(const char* fault) const {
  if (own_ != nullptr) return *own_;
  throw Error(Exit::usage, std::string("the fault ") + fault + " is not allowed on your own Redis",
              "remove \"target\", or set it to {\"kind\": \"embedded\"}");
}

ClusterSteering& RedisFaults::own_cluster(const char* fault) {
  if (const PrivateCluster* cluster = own_server(fault).cluster())
    return *steerings_.emplace_back(std::make_unique<ClusterSteering>(loop_, cluster->endpoints()));
  throw Error(Exit::usage, std::string("the fault ") + fault + " needs a private cluster",
              "start one: --embedded cluster:3+3");
}

Task<std::size_t> RedisFaults::server_of(const char* fault, std::string key) {
  if (own_server(fault).cluster() == nullptr) co_return 0;
  co_return co_await own_cluster(fault).master_of(slot_of(key));
}

Task<pid_t> RedisFaults::process_of(const char* fault, std::size_t server) {
  Reply reply;
  if (own_server(fault).cluster() == nullptr) {
    reply = co_await ask(control_, encode_command("INFO", "server"));
  } else {
    std::vector<std::string> question{"INFO", "server"};
    reply = co_await own_cluster(fault).tell(server, std::move(question));
  }
  const pid_t process = std::atoi(info_field(reply.text, kProcess).c_str());
  if (process <= 1) throw Error(Exit::target, "the embedded server did not report its process id");
  co_return process;
}

Task<> RedisFaults::be_back(PlayClock& clock) {
  while (own_ != nullptr && own_->cluster() == nullptr && !clock.stopped()) {
    const Exchange info = co_await control_.send(encode_command("INFO", "server"));
    if (info.has_answer() && info_field(info.reply.text, kProcess) != stopped_process_) co_return;
    co_await clock.until(clock.now_us() + kAskAgainUs);
  }
}

Task<> RedisFaults::forget_scripts() { co_await ask(control_, encode_command("SCRIPT", "FLUSH")); }

Task<> RedisFaults::kill_clients() {
  co_await ask(control_, encode_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
}

Task<> RedisFaults::restart(std::string key, FaultSpan down) {
  const std::size_t node = co_await server_of("redis_restart", std::move(key));
  stopped_process_ = std::to_string(co_await process_of("redis_restart", node));
  ServerProcess& server = own_->node(node);
  server.begin_stop();
  co_await down.over();
  server.start_again();
}

// Uses a signal, because DEBUG SLEEP is disabled by default since Redis 7.
Task<> RedisFaults::hang(std::string key, FaultSpan down) {
  const std::size_t node = co_await server_of("redis_pause", std::move(key));
  const pid_t server = co_await process_of("redis_pause", node);
  kill(server, SIGSTOP);
  co_await down.over();
  kill(server, SIGCONT);
}

Task<std::string> RedisFaults::setting(std::string name) {
  const Reply reply = co_await ask(control_, encode_command("CONFIG", "GET", name));
  if (reply.elements.size() != 2)
    throw Error(Exit::target, "the embedded server did not report its " + name);
  co_return reply.elements[1].text;
}

Task<> RedisFaults::set(std::string name, std::string value) {
  co_await ask(control_, encode_command("CONFIG", "SET", name, value));
}

// A limit of one byte is below what any server uses, so it is full at once and stays so, whatever
// expires. The policy goes first: with another one, the limit would evict every key.
Task<> RedisFaults::fill_memory(FaultSpan down) {
  own_server("memory_full");
  const std::string policy = co_await setting("maxmemory-policy");
  const std::string limit = co_await setting("maxmemory");
  co_await set("maxmemory-policy", "noeviction");
  co_await set("maxmemory", "1");
  co_await down.over();
  co_await set("maxmemory", limit);
  co_await set("maxmemory-policy", policy);
}

Task<> RedisFaults::fail_over(std::string key, bool graceful, FaultSpan down) {
  ClusterSteering& cluster = own_cluster("failover");
  const std::size_t master = co_await cluster.master_of(slot_of(key));
  const std::optional<std::size_t> replica = co_await cluster.replica_of(master);
  if (!replica)
    throw Error(Exit::usage, "failover: the master of the run's keys has no replica",
                "start it with replicas: --embedded cluster:3+3");
  if (down.us > 0) {
    co_await cluster.make_lag(*replica);
    co_await down.over();
    if (down.clock.stopped()) co_return;  // nobody would see it, and it may take seconds
  }
  co_await cluster.take_over(*replica, master, graceful);
}

Task<> RedisFaults::move_slot(std::string key, FaultSpan down) {
  ClusterSteering& cluster = own_cluster("slot_migration");
  const std::uint16_t slot = slot_of(key);
  const std::size_t from = co_await cluster.master_of(slot);
  const std::size_t to = co_await cluster.other_master(from);
  co_await cluster.begin_move(slot, from, to);
  co_await down.over();
  co_await cluster.end_move(slot, from, to);
}

Task<> RedisFaults::slow_down(std::int64_t by_us, std::int64_t jitter_us, FaultSpan down) {
  proxy_->set_delay(by_us, jitter_us);
  co_await down.over();
  proxy_->set_delay(0, 0);
}

Task<> RedisFaults::cut(FaultSpan down) {
  proxy_->set_refusing(true);
  proxy_->cut();
  co_await down.over();
  proxy_->set_refusing(false);
}

Task<> RedisFaults::half_open(FaultSpan down) {
  proxy_->set_deaf(true);
  co_await down.over();
  proxy_->set_deaf(false);
}

}  // namespace rlctl
