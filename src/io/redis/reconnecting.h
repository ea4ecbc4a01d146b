// Reconnecting: one connection to a server that may go away and come back, perhaps elsewhere. Owns
// its connections, not the loop. One thread.
//
// A new connection is made beside the old one and replaces it after AUTH and SELECT: commands sent
// before that would run as another user or in another database.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/endpoint_source.h"
#include "io/redis/redis_client.h"

namespace rlctl {

class Reconnecting final : public RedisClient {
 public:
  Reconnecting(Loop& loop, Endpoint endpoint, Notice notice = {});
  Reconnecting(Loop& loop, std::shared_ptr<EndpointSource> source, Notice notice = {});

  Task<> connect() override;
  // Connects, and if that fails keeps trying, without a word.
  void begin();

  void start(Exchange& exchange, std::string_view wire) override;
  bool is_open() const override { return connection_->is_open(); }
  Task<> look_back() override;
  std::string unseen() const override { return moved_; }

  // Connection::on_error, for every connection that it makes.
  void on_error(Connection::ErrorTaker taker);
  // Connection::called, for every connection that it makes.
  void called(std::string name);

 private:
  void keep_in_sight();
  Task<> keep_connected();
  Task<> come_back();
  Task<bool> try_again();
  Task<> next_attempt();
  Task<> watch_source();
  void tell(const std::string& words) const;

  Loop& loop_;
  std::shared_ptr<EndpointSource> source_;
  Endpoint endpoint_;  // of the last attempt
  NodeAddress first_;  // where it was connected at first
  std::string moved_;  // by look_back()
  Notice notice_;
  Connection::ErrorTaker taker_;
  std::string name_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> next_;  // being connected
  std::uint64_t attempts_ = 0;
  std::exception_ptr failure_;      // of the last attempt
  std::string problem_;             // the words of the last failure
  std::coroutine_handle<> waiter_;  // waits for the end of the connection
  Task<> watcher_;
  Task<> keeper_;  // last member, so it is destroyed first
};

}  // namespace rlctl
