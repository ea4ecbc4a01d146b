// A real redis-server for a test, which ends with it, and a connection to it that is independent of
// rlctl.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/support/process.h"
#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/server_process.h"

class TestRedis {
 public:
  // `program`: as in ServerProcess.
  explicit TestRedis(const std::string& program = {});

  // The reply, error replies included.
  rlctl::Reply command(std::vector<std::string> words);
  std::string text(std::vector<std::string> words) { return command(std::move(words)).text; }
  std::int64_t number(std::vector<std::string> words) { return command(std::move(words)).integer; }

  std::string url() const;

  // Runs rlctl with these arguments, followed by --redis for this server.
  Outcome rlctl(Arguments arguments, const std::string& input = {}) const;
  Outcome rlctl_interrupted(Arguments arguments, const std::function<bool()>& ready) const;
  Outcome rlctl_on_terminal(Arguments arguments, const std::string& typed = {}) const;

  // How often a command has run since the server started, calls from scripts included.
  std::int64_t calls(const std::string& name);

 private:
  Arguments with_url(Arguments arguments) const;

  rlctl::ServerProcess server_;
  rlctl::Loop loop_;
  rlctl::Connection connection_{loop_};
};
