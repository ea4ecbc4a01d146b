// A master with two replicas and three Sentinels that watch it. Reports failures by exceptions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/server_process.h"

namespace rlctl::test {

class SentinelTrio {
 public:
  // `password`: of the servers and of the Sentinels; empty: none.
  explicit SentinelTrio(std::string password = {});
  ~SentinelTrio();

  Loop& loop() { return loop_; }
  // "redis+sentinel://[:password@]127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/mymaster"
  std::string url() const;

  Reply ask_master(std::vector<std::string> words);
  Reply ask_sentinel(std::vector<std::string> words);
  // The replicas at first; one of them may be the master later.
  static constexpr std::size_t kReplicas = 2;
  Reply ask_replica(std::size_t replica, std::vector<std::string> words);
  void end_master() { servers_.front()->stop(); }
  // It hangs: its connections stay open, and nothing is answered.
  void freeze_master() const;
  void thaw_master() const;

 private:
  std::unique_ptr<ServerProcess> start(std::vector<std::string> arguments, std::string lines);
  Reply ask(const ServerProcess& server, std::vector<std::string> words);
  void wait_until_known();

  Loop loop_;
  std::string password_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;  // the master is the first
  std::vector<std::unique_ptr<ServerProcess>> sentinels_;
  std::map<const ServerProcess*, std::unique_ptr<Connection>> connections_;
  pid_t master_ = 0;
};

}  // namespace rlctl::test
