// Confirms a violation that was found on the model of Redis: plays its schedule on a real one, with
// a connection per client, one command at a time. Every decision must be the same. To let time
// pass, it shortens the TTLs of the keys, so nothing has to wait in real time.
//
// Owns an embedded server, started at the first use. Error(Exit::target) if it cannot be started.
// Main thread.
#pragma once

#include <memory>
#include <string>

#include "io/redis/connection.h"
#include "io/redis/server_process.h"
#include "limiter/registry.h"
#include "run/explore/space.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {

class ExploreConfirmer {
 public:
  // `server_program`: as in ServerProcess.
  explicit ExploreConfirmer(std::string server_program)
      : server_program_(std::move(server_program)) {}

  // Sets violation.confirmed or violation.doubt. Tries several times, because on a slow machine
  // keys may expire in real time.
  void confirm(const ExploreRules& rules, StepProgram& program, const Script& script,
               const Policy& policy, ExploreViolation& violation);

  // "redis 7.0.15" or "valkey 8.0.1"; empty if no server was needed.
  const std::string& server() const { return server_name_; }

 private:
  void start();

  std::string server_program_;
  std::string server_name_;
  // The order matters: members are destroyed in reverse order, and the server must outlive the
  // others.
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Connection> control_;
};

}  // namespace rlctl
