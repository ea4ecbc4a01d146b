// What a soak does to a private cluster with replicas on purpose: one fault after the other, each
// until it has healed. Nothing that a replica has confirmed may be lost by it; what it can lose, a
// replica that lagged and takes over, is told. Borrows the cluster and the proxy.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/proxy/proxy.h"
#include "redis/test_cluster.h"

namespace rlctl::test {

class SoakFaults {
 public:
  // `proxy`: between the clients and the cluster.
  SoakFaults(TestCluster& servers, Proxy& proxy) : servers_(servers), proxy_(proxy) {}

  // The next one of all kinds, on the master of this key.
  void play(const std::string& key);

  int played() const { return played_; }
  // In these times a master's writes reached no replica, and then a replica took its place: what
  // was admitted meanwhile may be forgotten. In µs since 1970.
  struct Forgotten {
    std::int64_t from_us = 0;
    std::int64_t to_us = 0;
  };
  const std::vector<Forgotten>& forgotten() const { return forgotten_; }
  // That the cluster refused; empty: none.
  const std::string& problem() const { return problem_; }

 private:
  using Play = Task<> (SoakFaults::*)(std::size_t node, std::string key);

  Task<> take_over(std::size_t node, std::string key);
  Task<> forget(std::size_t node, std::string key);
  Task<> kill_clients(std::size_t node, std::string key);
  Task<> flush_scripts(std::size_t node, std::string key);
  Task<> move_slot(std::size_t node, std::string key);
  Task<> restart(std::size_t node, std::string key);
  Task<> hang(std::size_t node, std::string key);
  Task<> fill_memory(std::size_t node, std::string key);
  Task<> cut(std::size_t node, std::string key);
  Task<> slow_down(std::size_t node, std::string key);
  Task<> half_open(std::size_t node, std::string key);

  ClusterSteering& steering() { return servers_.cluster().steering(); }
  Task<> tell(std::size_t node, std::vector<std::string> words);
  Task<> last();
  Task<> confirm_writes(std::size_t master, std::string key);
  Task<std::size_t> wait_for_replica_of(std::size_t master);
  Task<std::size_t> wait_for_other_master(std::size_t gone, std::string key);

  static const std::array<Play, 11> kAll;

  TestCluster& servers_;
  Proxy& proxy_;
  int number_ = 0;
  int played_ = 0;
  std::vector<Forgotten> forgotten_;
  std::string problem_;
};

}  // namespace rlctl::test
