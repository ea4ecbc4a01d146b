// Reconnecting: one connection to a Redis that may go away and come back. What is asked while it is
// away becomes not_sent at once; nothing is kept for later or repeated. Owns its connections, not
// the loop. One thread.
//
// A new connection is made beside the old one and takes its place once it is let in: with a
// password or a database number, commands sent in between would be another user's.
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
  // Told, in words, when it goes, why it does not come back, and when it is back.
  using Notice = std::function<void(const std::string& words)>;

  Reconnecting(Loop& loop, Endpoint endpoint, Notice notice = {});

  // The first time; Error(Exit::target) when that fails. From then on it keeps itself connected.
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
  std::unique_ptr<Connection> next_;  // being made
  std::string problem_;               // why the last attempt failed
  std::coroutine_handle<> waiter_;    // for the end of the connection
  Task<> keeper_;                     // last: it goes first
};

}  // namespace rlctl
