// Reconnecting: one connection to a Redis that may go away and come back. A command that is sent
// while Redis is away becomes not_sent at once; nothing is queued or repeated. Owns its
// connections, not the loop. One thread.
//
// A new connection is made beside the old one and replaces it after AUTH and SELECT: commands sent
// before that would run as another user or in another database.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/endpoint.h"
#include "io/redis/redis.h"

namespace rlctl {

class Reconnecting final : public Redis {
 public:
  // Called with a message when the connection is lost, when reconnecting fails, and when it is
  // back.
  using Notice = std::function<void(const std::string& words)>;

  Reconnecting(Loop& loop, Endpoint endpoint, Notice notice = {});

  // Connects for the first time; throws Error(Exit::target) if that fails. After that it reconnects
  // by itself.
  Task<> connect();

  void start(Exchange& exchange, std::string_view wire) override;

  bool is_open() const { return connection_->is_open(); }

 private:
  void keep_in_sight();
  Task<> keep_connected();
  Task<> come_back();
  Task<bool> try_again();
  void tell(const std::string& words) const;

  Loop& loop_;
  Endpoint endpoint_;
  Notice notice_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> next_;  // being connected
  std::string problem_;               // why the last attempt failed
  std::coroutine_handle<> waiter_;    // waits for the end of the connection
  Task<> keeper_;                     // last member, so it is destroyed first
};

}  // namespace rlctl
