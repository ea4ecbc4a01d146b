// RedisTarget: a Redis, the user's or one of the run's own, and the connections to it. Users of
// scripts that Redis runs share connections; a user whose script runs step by step has one alone.
#pragma once

#include <optional>
#include <string>

#include "io/connection.h"
#include "io/endpoint.h"
#include "io/loop.h"
#include "io/server_process.h"
#include "run/target.h"

namespace rlctl {

class RedisTarget final : public Target {
 public:
  // Without an endpoint: a server of its own, started by open() (`program`: which).
  RedisTarget(Loop& loop, std::optional<Endpoint> endpoint, std::string program,
              std::string run_id);

  Task<> open() override;
  Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) override;
  std::string key_prefix() const override;
  bool names_keys() const override { return true; }
  Task<> close() override;
  Redis* control() override { return control_.get(); }

 private:
  class Users;
  Task<std::unique_ptr<Connection>> connect();
  Task<> share(std::size_t connections);
  Task<> keep_free(std::size_t connections);

  Loop& loop_;
  std::string program_;
  std::string run_id_;
  bool embedded_;
  std::optional<ServerProcess> server_;
  std::optional<Endpoint> endpoint_;
  std::unique_ptr<Connection> control_;
  std::vector<std::unique_ptr<Connection>> shared_;
  std::vector<std::unique_ptr<Connection>> exclusive_;
  std::vector<Redis*> free_;  // of exclusive_
};

}  // namespace rlctl
