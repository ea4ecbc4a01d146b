// Confirms what was found on the model of Redis: the schedule is played on a real one, a connection
// per client, one command at a time, and every decision must be the same. Time that passes is
// brought about by shortening the keys' TTLs, so that a minute takes no minute.
//
// Owns an embedded server, started when first needed. Error(Exit::target) when there is none. Main
// thread.
#pragma once

#include <memory>
#include <string>

#include "core/explore_result.h"
#include "io/connection.h"
#include "io/server_process.h"
#include "run/explore_space.h"

namespace rlctl {

class ExploreConfirmer {
 public:
  // `server_program`: as in ServerProcess.
  explicit ExploreConfirmer(std::string server_program)
      : server_program_(std::move(server_program)) {}

  // Fills violation.confirmed, or violation.doubt. Tries again when the machine was so slow that
  // keys expired in real time.
  void confirm(const ExploreRules& rules, StepProgram& program, const std::string& script,
               const Policy& policy, ExploreViolation& violation);

  // "redis-server 7.0.15"; empty when none was needed.
  const std::string& server() const { return server_name_; }

 private:
  void start();

  std::string server_program_;
  std::string server_name_;
  // In this order: what is destroyed last must outlive the rest.
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Connection> control_;
};

}  // namespace rlctl
