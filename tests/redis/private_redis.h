// A private redis-server for a test (io/redis/server_process.h) with a connection to control it. It
// ends with the test. Reports failures by exceptions.
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

Task<> pause(Loop& loop, std::int64_t delay_us);

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
  // Makes it listen also on a free port of 127.0.0.1.
  Endpoint tcp_endpoint();

  // Over the control connection; the reply may be an error.
  Reply command(std::vector<std::string> words);
  pid_t pid() const { return pid_; }

  // Becomes a replica of `master`, which gets many keys, and answers LOADING until load_at_once().
  void load_slowly_from(PrivateRedis& master);
  void load_at_once() { command({"CONFIG", "SET", "key-load-delay", "0"}); }

  // Frozen: the kernel still accepts connections, but nothing is answered.
  void freeze() const { ::kill(pid_, SIGSTOP); }
  void thaw() const { ::kill(pid_, SIGCONT); }
  // Ends it, and returns when it has ended.
  void kill() const;

 private:
  ServerProcess server_;
  Loop loop_;
  Connection steering_{loop_};
  pid_t pid_ = 0;
};

// True if it has ended, reaped or not.
bool is_gone(pid_t process);
// Checks for up to 20 s.
bool wait_until_gone(pid_t process);
pid_t parent_of(pid_t process);
// The process id of the server at this endpoint, from INFO server.
pid_t server_pid(const Endpoint& endpoint);

std::size_t open_descriptors();

}  // namespace rlctl::test
