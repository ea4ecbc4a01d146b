#include "redis/soak_faults.h"

#include <signal.h>

#include <cstdlib>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/server_info.h"
#include "redis/private_redis.h"

namespace rlctl::test {
namespace {

// Shorter than the cluster's node time-out, so that nobody is taken for dead.
constexpr std::int64_t kFaultLastsUs = 300'000;
constexpr std::int64_t kLookAgainUs = 20'000;
constexpr std::int64_t kHealsWithinUs = 60'000'000;

}  // namespace

const std::array<SoakFaults::Play, 11> SoakFaults::kAll{
    &SoakFaults::take_over, &SoakFaults::kill_clients, &SoakFaults::flush_scripts,
    &SoakFaults::move_slot, &SoakFaults::hang,         &SoakFaults::cut,
    &SoakFaults::restart,   &SoakFaults::slow_down,    &SoakFaults::fill_memory,
    &SoakFaults::half_open, &SoakFaults::forget,
};

void SoakFaults::play(const std::string& key) {
  const Play fault = kAll.at(static_cast<std::size_t>(number_++) % kAll.size());
  try {
    const std::size_t node = servers_.loop().run(steering().master_of(slot_of(key)));
    servers_.loop().run((this->*fault)(node, key));
    ++played_;
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

Task<> SoakFaults::tell(std::size_t node, std::vector<std::string> words) {
  co_await steering().tell(node, std::move(words));
}

Task<> SoakFaults::last() { return pause(servers_.loop(), kFaultLastsUs); }

Task<std::size_t> SoakFaults::wait_for_replica_of(std::size_t master) {
  for (const std::int64_t deadline_us = now_us() + kHealsWithinUs; now_us() < deadline_us;) {
    std::optional<std::size_t> replica;
    try {
      replica = co_await steering().replica_of(master);
    } catch (const Error&) {  // one that starts
    }
    if (replica) co_return *replica;
    co_await pause(servers_.loop(), kLookAgainUs);
  }
  throw Error(Exit::target, "a master has had no replica for a minute");
}

// Its replica waits until others agree that it is dead.
Task<std::size_t> SoakFaults::wait_for_other_master(std::size_t gone, std::string key) {
  for (const std::int64_t deadline_us = now_us() + kHealsWithinUs; now_us() < deadline_us;) {
    std::size_t master = gone;
    try {
      master = co_await steering().master_of(slot_of(key));
    } catch (const Error&) {
    }
    if (master != gone) co_return master;
    co_await pause(servers_.loop(), kLookAgainUs);
  }
  throw Error(Exit::target, "no replica has taken over for a minute");
}

// Its master waits for it.
Task<> SoakFaults::take_over(std::size_t node, std::string) {
  const std::size_t replica = co_await wait_for_replica_of(node);
  co_await steering().take_over(replica, node, true);
}

Task<> SoakFaults::kill_clients(std::size_t node, std::string) {
  std::vector<std::string> words{"CLIENT", "KILL", "TYPE", "normal"};
  co_await tell(node, std::move(words));
}

Task<> SoakFaults::flush_scripts(std::size_t node, std::string) {
  std::vector<std::string> words{"SCRIPT", "FLUSH"};
  co_await tell(node, std::move(words));
}

// What came with it must be at the new master's replica, too: it may be the next that takes over.
Task<> SoakFaults::move_slot(std::size_t node, std::string key) {
  const std::size_t to = co_await steering().other_master(node);
  co_await steering().begin_move(slot_of(key), node, to);
  co_await last();
  co_await steering().end_move(slot_of(key), node, to);
  co_await confirm_writes(to, std::move(key));
}

// Returns when a replica has this write, and so all before it.
Task<> SoakFaults::confirm_writes(std::size_t master, std::string key) {
  co_await wait_for_replica_of(master);
  std::vector<std::string> write{"SET", std::move(key), "confirmed"};
  co_await tell(master, std::move(write));
  std::vector<std::string> confirm{"WAIT", "1", "10000"};
  const Reply replicas = co_await steering().tell(master, std::move(confirm));
  if (replicas.integer < 1) throw Error(Exit::target, "no replica has confirmed a write for 10 s");
}

// Its master does not wait for it, and goes on until it knows.
Task<> SoakFaults::forget(std::size_t node, std::string key) {
  const std::int64_t from_us = now_us();
  co_await confirm_writes(node, std::move(key));
  const std::size_t replica = co_await wait_for_replica_of(node);
  co_await steering().make_lag(replica);
  co_await last();
  co_await steering().take_over(replica, node, false);
  forgotten_.push_back({from_us, now_us()});
}

// Empty when it comes back, so another must have taken its place before.
Task<> SoakFaults::restart(std::size_t node, std::string key) {
  co_await wait_for_replica_of(node);
  servers_.kill(node);
  const std::size_t master = co_await wait_for_other_master(node, key);
  servers_.cluster().node(node).start_again();
  co_await wait_for_replica_of(master);
}

Task<> SoakFaults::hang(std::size_t node, std::string) {
  std::vector<std::string> words{"INFO", "server"};
  const Reply reply = co_await steering().tell(node, std::move(words));
  const pid_t process = std::atoi(info_field(reply.text, "process_id").c_str());
  if (process <= 1) throw Error(Exit::target, "a server did not tell its process");
  kill(process, SIGSTOP);
  co_await last();
  kill(process, SIGCONT);
}

Task<> SoakFaults::fill_memory(std::size_t node, std::string) {
  std::vector<std::string> full{"CONFIG", "SET", "maxmemory", "1"};
  co_await tell(node, std::move(full));
  co_await last();
  std::vector<std::string> free{"CONFIG", "SET", "maxmemory", "0"};
  co_await tell(node, std::move(free));
}

Task<> SoakFaults::cut(std::size_t, std::string) {
  proxy_.set_refusing(true);
  proxy_.cut();
  co_await last();
  proxy_.set_refusing(false);
}

Task<> SoakFaults::slow_down(std::size_t, std::string) {
  proxy_.set_delay(20'000, 20'000);
  co_await last();
  proxy_.set_delay(0, 0);
}

Task<> SoakFaults::half_open(std::size_t, std::string) {
  proxy_.set_deaf(true);
  co_await last();
  proxy_.set_deaf(false);
}

}  // namespace rlctl::test
