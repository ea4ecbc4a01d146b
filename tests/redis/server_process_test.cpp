#include "io/redis/server_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "io/clock.h"
#include "redis/private_redis.h"
#include "tools/folder.h"

using namespace rlctl;
using namespace rlctl::test;
namespace fs = std::filesystem;

namespace {

// hold_server in its own process group, with its server and that server's guard.
class Holder {
 public:
  Holder() {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    holder_ = fork();
    if (holder_ == 0) {
      setpgid(0, 0);
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      execl(HOLD_SERVER, HOLD_SERVER, nullptr);
      _exit(127);
    }
    setpgid(holder_, holder_);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    endpoint_.unix_path = read_line(output[0]);
    close(output[0]);
    server_ = server_pid(endpoint_);
    guard_ = parent_of(server_);
  }
  ~Holder() {
    finish();
    if (guard_ > 0 && !is_gone(guard_)) kill(guard_, SIGKILL);
    fs::remove_all(directory());
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  // Closes its input, which ends it.
  void finish() {
    if (input_ >= 0) close(std::exchange(input_, -1));
    wait();
  }
  void wait() {
    if (holder_ > 0) waitpid(std::exchange(holder_, -1), nullptr, 0);
  }
  pid_t holder() const { return holder_; }
  pid_t guard() const { return guard_; }
  pid_t server() const { return server_; }
  const Endpoint& endpoint() const { return endpoint_; }
  fs::path directory() const { return fs::path(endpoint_.unix_path).parent_path(); }

 private:
  static std::string read_line(int descriptor) {
    std::string line;
    char byte = 0;
    while (read(descriptor, &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }

  pid_t holder_ = -1, guard_ = -1, server_ = -1;
  int input_ = -1;
  Endpoint endpoint_;
};

void check_nothing_is_left(const Holder& holder) {
  CHECK(wait_until_gone(holder.server()));
  CHECK(wait_until_gone(holder.guard()));  // the directory is removed before the guard ends
  CHECK_FALSE(fs::exists(holder.directory()));
}

// Sets PATH for the length of a test.
class PathIs {
 public:
  explicit PathIs(const std::string& path) : before_(getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~PathIs() { setenv("PATH", before_.c_str(), 1); }
  PathIs(const PathIs&) = delete;
  PathIs& operator=(const PathIs&) = delete;

 private:
  std::string before_;
};

// A program for the test, in a temporary directory.
class Program {
 public:
  explicit Program(const std::string& text) { chmod(folder_.write("server", text).c_str(), 0700); }
  std::string path() const { return folder_ / "server"; }

 private:
  Folder folder_;
};

// The error of an embedded server that can't start. No process or file of it may remain.
std::string start_error(const std::string& program) {
  const std::size_t descriptors = open_descriptors();
  std::string words;
  try {
    const ServerProcess server(program);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::target);
    words = error.what() + (" | " + error.hint());
  }
  CHECK(open_descriptors() == descriptors);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no child, dead or alive
  return words;
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != text.npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("an embedded server is private and empty, and stores nothing on disk") {
  const ServerProcess server;
  const fs::path directory = fs::path(server.endpoint().unix_path).parent_path();
  struct stat status {};
  REQUIRE(stat(directory.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  Loop loop;
  Connection connection(loop);
  loop.run(connection.connect(server.endpoint()));
  CHECK(loop.run(send(connection, "DBSIZE")).reply.integer == 0);
  const Reply save = loop.run(send(connection, "CONFIG", "GET", "save")).reply;
  CHECK(save.elements.at(1).text.empty());
  const Reply port = loop.run(send(connection, "CONFIG", "GET", "port")).reply;
  CHECK(port.elements.at(1).text == "0");
}

TEST_CASE("an embedded server ends when rlctl ends normally") {
  Holder holder;
  holder.finish();
  check_nothing_is_left(holder);
}

TEST_CASE("an embedded server ends after SIGTERM and SIGKILL to its owner") {
  for (const int signal : {SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    Holder holder;
    kill(holder.holder(), signal);
    holder.wait();
    check_nothing_is_left(holder);
  }
}

TEST_CASE("Ctrl-C reaches only the owner, then the embedded server ends too") {
  Holder holder;
  CHECK(getpgid(holder.guard()) != getpgid(holder.holder()));
  CHECK(getpgid(holder.server()) != getpgid(holder.holder()));
  kill(-holder.holder(), SIGINT);
  holder.wait();
  check_nothing_is_left(holder);
}

TEST_CASE("SIGINT and SIGTERM to the guard do not stop the server") {
  Holder holder;
  kill(holder.guard(), SIGINT);
  kill(holder.guard(), SIGTERM);
  CHECK(parent_of(server_pid(holder.endpoint())) == holder.guard());
  holder.finish();
  check_nothing_is_left(holder);
}

TEST_CASE("SIGKILL to the guard ends the server, and its owner removes the directory") {
  Holder holder;
  kill(holder.guard(), SIGKILL);
  CHECK(wait_until_gone(holder.server()));
  CHECK_FALSE(is_gone(holder.holder()));
  holder.finish();
  CHECK_FALSE(fs::exists(holder.directory()));
}

TEST_CASE("if the server ends by itself, no guard is left") {
  Holder holder;
  kill(holder.server(), SIGKILL);
  CHECK(wait_until_gone(holder.server()));
  holder.finish();
  check_nothing_is_left(holder);
}

TEST_CASE("two embedded servers end independently") {
  std::optional<ServerProcess> first(std::in_place), second(std::in_place);
  const pid_t first_pid = server_pid(first->endpoint());
  const pid_t second_pid = server_pid(second->endpoint());
  CHECK(first_pid != second_pid);
  first.reset();  // while the guard of the second is running
  CHECK(is_gone(first_pid));
  CHECK(server_pid(second->endpoint()) == second_pid);
  second.reset();
  CHECK(is_gone(second_pid));
}

TEST_CASE("a server that stops and starts again is empty, at the same place, under its guard") {
  ServerProcess server;
  const pid_t first = server_pid(server.endpoint());
  const pid_t guard = parent_of(first);
  Loop loop;
  {
    Connection connection(loop);
    loop.run(connection.connect(server.endpoint()));
    CHECK(loop.run(send(connection, "SET", "key", "value")).reply.text == "OK");
    CHECK(loop.run(send(connection, "SAVE")).reply.text == "OK");
  }
  server.stop();
  CHECK(wait_until_gone(first));
  CHECK_FALSE(is_gone(guard));
  server.start_again();
  server.wait_until_ready();
  const pid_t second = server_pid(server.endpoint());
  CHECK(second != first);
  CHECK(parent_of(second) == guard);
  Connection connection(loop);
  loop.run(connection.connect(server.endpoint()));
  CHECK(loop.run(send(connection, "DBSIZE")).reply.integer == 0);
}

TEST_CASE("without a server on PATH the error says how to get one") {
  const PathIs nowhere("/nonexistent:");
  contains(start_error(""), "no redis-server or valkey-server on PATH");
  contains(start_error(""), "apt-get install redis-server");
  contains(start_error("redis-server"), "can't run 'redis-server' (--redis-server)");
  contains(start_error("/nonexistent/\x1b"), "/nonexistent/\\x1b");
}

TEST_CASE("a server that ends at once is reported at once, with its last words") {
  const std::int64_t start_us = now_us();
  const Program mute("#!/bin/sh\nexit 1\n");
  contains(start_error(mute.path()), "did not start");
  const Program loud("#!/bin/sh\necho first\necho 'bad \033 directive' >&2\nexit 1\n");
  contains(start_error(loud.path()), "did not start: bad \\x1b directive");
  const Program garbage("\x01\x02");
  contains(start_error(garbage.path()), "did not start: Exec format error");
  contains(start_error("/tmp"), "/tmp");
  CHECK(now_us() - start_us < 9'000'000);  // a wait for a single server would take 10 s
}
