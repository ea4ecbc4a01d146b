// A redis-server for a test, on a unix socket in a private directory, with a plain blocking
// connection. It deliberately uses nothing of our own client, so that the scripts are tested
// through independent code. Reports failures by exceptions.
#pragma once

#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tools/folder.h"

namespace rlctl::test {

struct Answered {
  int type = REDIS_REPLY_NIL;
  long long integer = 0;
  std::string text;
  std::vector<Answered> elements;

  bool is_error() const { return type == REDIS_REPLY_ERROR; }
};

class Connection {
 public:
  explicit Connection(const std::string& socket) : context_(redisConnectUnix(socket.c_str())) {
    if (!context_ || context_->err != 0) throw std::runtime_error("no connection to " + socket);
  }

  Answered command(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      lengths.push_back(word.size());
    }
    std::unique_ptr<void, void (*)(void*)> reply(
        redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(),
                         lengths.data()),
        freeReplyObject);
    if (!reply) throw std::runtime_error(std::string("connection lost: ") + context_->errstr);
    return copy(*static_cast<redisReply*>(reply.get()));
  }

  // As above; an error reply is an exception.
  Answered ask(const std::vector<std::string>& words) {
    Answered reply = command(words);
    if (reply.is_error()) throw std::runtime_error(words.front() + ": " + reply.text);
    return reply;
  }

  long long integer(const std::vector<std::string>& words) { return ask(words).integer; }
  std::string text(const std::vector<std::string>& words) { return ask(words).text; }

  // The next message without a request: a line of MONITOR.
  std::string next() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK || reply == nullptr)
      throw std::runtime_error(std::string("connection lost: ") + context_->errstr);
    const std::unique_ptr<void, void (*)(void*)> owned(reply, freeReplyObject);
    return copy(*static_cast<redisReply*>(reply)).text;
  }

 private:
  static Answered copy(const redisReply& from) {
    Answered reply;
    reply.type = from.type;
    reply.integer = from.integer;
    if (from.str != nullptr) reply.text.assign(from.str, from.len);
    for (std::size_t i = 0; i < from.elements; ++i)
      reply.elements.push_back(copy(*from.element[i]));
    return reply;
  }

  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> context_;
};

class Server {
 public:
  Server() { start(); }
  ~Server() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string socket() const { return folder_ / "redis.sock"; }
  Connection connect() const { return Connection(socket()); }

 private:
  void start() {
    const std::string path = socket();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process for a server");
    if (pid_ == 0) {
      execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path.c_str(), "--save",
             "", "--appendonly", "no", "--dir", folder_.path().c_str(), "--logfile", "redis.log",
             nullptr);
      _exit(127);
    }
    for (int attempt = 0; attempt < 3000; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (waitpid(pid_, nullptr, WNOHANG) == pid_)
        throw std::runtime_error("redis-server did not start");
      if (access(path.c_str(), F_OK) == 0 && is_ready()) return;
    }
    throw std::runtime_error("redis-server was not ready within 30 s");
  }

  bool is_ready() const {
    try {
      return connect().text({"PING"}) == "PONG";
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  Folder folder_;
  pid_t pid_ = -1;
};

// The commands that the server gets, as MONITOR shows them.
class Monitor {
 public:
  explicit Monitor(const std::string& socket) : connection_(socket) {
    connection_.ask({"MONITOR"});
  }

  // What scripts have asked since the last call: "INCR k; EXPIRE k 60". `asker` says when it is
  // enough.
  std::string from_scripts(Connection& asker) {
    const std::string end = "end-" + std::to_string(++marks_);
    asker.ask({"PING", end});
    std::string commands;
    for (;;) {
      const std::string line = connection_.next();
      if (line.ends_with("\"PING\" \"" + end + '"')) return commands;
      const auto mark = line.find(" lua] ");
      if (mark == line.npos) continue;
      commands += (commands.empty() ? "" : "; ") + words_of(line.substr(mark + 6));
    }
  }

 private:
  // "INCR" "k" without the quotes.
  static std::string words_of(const std::string& quoted) {
    std::string words;
    for (const char c : quoted)
      if (c != '"') words += c;
    return words;
  }

  Connection connection_;
  int marks_ = 0;
};

}  // namespace rlctl::test
