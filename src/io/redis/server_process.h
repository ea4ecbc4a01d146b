// ServerProcess: a private redis-server for one run, with a unix socket in a private directory (or
// a port on loopback, for a node of a cluster) and nothing on disk. It ends with rlctl however
// rlctl ends, kill -9 included.
//
// How: a guard runs between rlctl and the server. It is a fork of rlctl in its own session that
// only reads from a socket. When rlctl ends, the kernel closes the socket in every case; the guard
// sees the end of file, ends the server and removes the directory. If the guard itself is killed,
// PR_SET_PDEATHSIG ends the server. A terminal's Ctrl-C reaches neither of them, so a run can still
// finish its measurement.
//
// Throws Error(Exit::target) if no server program is found or the server does not start. It forks:
// call it on the main thread, before other threads exist.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/redis/endpoint.h"

namespace rlctl {

struct ServerSettings {
  std::uint16_t port = 0;              // also on 127.0.0.1; 0: only the unix socket
  std::string password;                // empty: none
  std::vector<std::string> arguments;  // "--cluster-enabled", "yes"
  std::string configuration;           // lines of a redis.conf
};

class ServerProcess {
 public:
  // `program`: a path or a name on PATH; empty: redis-server, else valkey-server.
  explicit ServerProcess(const std::string& program = {}, ServerSettings settings = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // The unix socket.
  Endpoint endpoint() const;
  // On 127.0.0.1, if it has a port.
  Endpoint tcp_endpoint() const;
  const std::string& program() const { return program_; }

  // For an outage: the guard ends the server, and starts an empty one at the same place. Its files
  // stay: a node of a cluster finds the others. Neither call waits, because traffic goes on; the
  // server is ready some time after start_again().
  void begin_stop();
  void start_again();
  void wait_until_ready() const;
  // begin_stop(), and waits until it has ended.
  void stop();

 private:
  void start_guard();
  std::string last_words() const;
  void write_configuration() const;
  std::vector<std::string> command_line() const;
  void end();
  void order(char what) const;

  std::string program_;
  ServerSettings settings_;
  std::string directory_;
  int lifeline_ = -1;  // orders to the guard: closing it ends the server
  int guard_ = -1;     // process id
};

}  // namespace rlctl
