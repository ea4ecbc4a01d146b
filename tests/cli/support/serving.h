// A running `rlctl serve`, plain sockets to speak with it, and a Redis that can be stopped and
// started again. All three are the test's own and gone with it; std::runtime_error when something
// does not come about within a minute.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/support/process.h"
#include "tools/folder.h"

// A redis-server on a unix socket. The path stays the same if it is started again, with an empty
// database.
class StoppableRedis {
 public:
  StoppableRedis();
  ~StoppableRedis();
  StoppableRedis(const StoppableRedis&) = delete;
  StoppableRedis& operator=(const StoppableRedis&) = delete;

  std::string url() const { return "unix://" + socket(); }
  void start();
  void stop();
  void freeze() const;
  void thaw() const;

 private:
  std::string socket() const { return folder_ / "redis.sock"; }

  rlctl::test::Folder folder_;
  pid_t process_ = -1;
};

class Serving {
 public:
  // `rlctl serve --listen 127.0.0.1:0` with these arguments; returns when it listens, which
  // it says on standard output, with --json on standard error.
  explicit Serving(const Arguments& arguments);
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  std::uint16_t port() const { return port_; }
  void signal(int number) const;
  // Waits for its end. `out` holds what it printed behind the line that it listens.
  Outcome wait();
  // Sends SIGTERM and waits.
  Outcome stop();

 private:
  pid_t process_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::uint16_t port_ = 0;
};

struct Response {
  int status = 0;  // 0: the connection ended before a status came
  std::string head;
  std::string body;

  // The value of a field, or "".
  std::string field(const std::string& name) const;
};

// One connection. Waits up to a minute for each result.
class Client {
 public:
  explicit Client(std::uint16_t port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;
  // From this place on, as many as it takes now without waiting: 0 if none.
  std::size_t send_what_fits(const std::string& bytes, std::size_t from) const;
  void close_half() const;  // sends nothing more
  // The next response; with_body: false after a HEAD.
  Response receive(bool with_body = true);
  // True if the server has closed the connection and nothing is left to read.
  bool at_end();

  Response get(const std::string& path, const std::string& fields = {});

 private:
  bool read_more();

  int socket_ = -1;
  std::string in_;
};

// A request on its own connection.
Response get(std::uint16_t port, const std::string& path, const std::string& fields = {});

// Repeats the request for up to a minute, until the answer has this status.
Response get_until(int status, std::uint16_t port, const std::string& path);
