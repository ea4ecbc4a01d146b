// A real server for a test on 127.0.0.1: HAProxy, or an express app with a limiter of an npm
// package. It ends with the test. Throws std::runtime_error if it does not start.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/folder.h"

namespace rlctl::test {

class Server {
 public:
  // The program listens on `port`; with 0, it prints its port as its first line.
  Server(const std::vector<std::string>& command, std::uint16_t port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  void wait_until_it_listens();

  Folder folder_;  // its output
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

// HAProxy with this frontend: `bind` is added. A denial is 429.
class Haproxy {
 public:
  explicit Haproxy(const std::string& frontend);
  std::string url() const { return server_->url(); }

 private:
  Folder folder_;
  std::unique_ptr<Server> server_;
};

// The command of a program for node that needs the npm packages.
std::vector<std::string> node_program(const std::string& file);

// A limiter of tests/real/limiters.js.
struct NodeLimiter : Server {
  NodeLimiter(const std::string& name, int limit, int window_ms, const std::string& redis = "none");
};

// True if the npm packages are installed. If not, it says so; the test fails if RLCTL_NEEDS_NODE is
// set, as it is in CI, and is skipped otherwise.
bool has_node_packages();

}  // namespace rlctl::test
