// A redis-server of the test's own (io/redis/server_process.h) with a connection to steer it. Gone with
// the test. Fails by exceptions.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/server_process.h"

namespace rlctl::test {

Task<Exchange> send_words(Redis& redis, std::vector<std::string> words);

// Not a braced list at the call: g++ 12 can't have one inside co_await.
template <typename... Words>
Task<Exchange> send(Redis& redis, const Words&... words) {
  return send_words(redis, {std::string(words)...});
}

class PrivateRedis {
 public:
  PrivateRedis();
  ~PrivateRedis();

  Loop& loop() { return loop_; }
  Endpoint unix_endpoint() const { return server_.endpoint(); }
  // Lets it listen on 127.0.0.1 too, on a port that is free.
  Endpoint tcp_endpoint();

  // Over the steering connection; the reply may be an error.
  Reply command(std::vector<std::string> words);
  pid_t pid() const { return pid_; }

  // Frozen: it takes connections (the kernel does) and answers nothing.
  void freeze() const { ::kill(pid_, SIGSTOP); }
  void thaw() const { ::kill(pid_, SIGCONT); }
  // Ends it, and returns when it is gone.
  void kill() const;

 private:
  ServerProcess server_;
  Loop loop_;
  Connection steering_{loop_};
  pid_t pid_ = 0;
};

// True when it has ended, reaped or not.
bool is_gone(pid_t process);
// Looks for up to 20 s.
bool wait_until_gone(pid_t process);
pid_t parent_of(pid_t process);
// The process behind this endpoint, which it tells itself (INFO server).
pid_t server_pid(const Endpoint& endpoint);

std::size_t open_descriptors();

}  // namespace rlctl::test
