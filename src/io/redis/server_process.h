// ServerProcess: a private redis-server for one run: a unix socket in a private directory, nothing
// on disk, and gone with rlctl whatever ends it, kill -9 included.
//
// How: between rlctl and the server stands a guard, a fork of rlctl in a session of its own that
// only reads from a pipe. The pipe's end of file is the one notice of death that a process can't
// fail to give; the guard then ends the server and removes the directory. Should the guard itself
// be killed, the server gets PR_SET_PDEATHSIG. A terminal's Ctrl-C reaches neither of them, so a
// run can finish its measurement after it.
//
// Error(Exit::target) when there is no server to start or it does not come up. Fork from the main
// thread, before other threads exist.
#pragma once

#include <string>

#include "io/redis/endpoint.h"

namespace rlctl {

class ServerProcess {
 public:
  // `program`: a path or a name on PATH; empty: redis-server, else valkey-server.
  explicit ServerProcess(const std::string& program = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  Endpoint endpoint() const;
  const std::string& program() const { return program_; }

  // For those who want to see what happens without it: ends the server, and starts an empty one at
  // the same place. It is there some time after start_again() has returned.
  void stop();
  void start_again();

 private:
  void start_guard();
  void wait_until_ready();
  std::string last_words() const;
  void end();

  std::string program_;
  std::string directory_;
  int lifeline_ = -1;  // write end: closing it ends the server
  int guard_ = -1;     // process id
};

}  // namespace rlctl
