// Connection: one socket to one Redis, on one Loop. This is the fast path for all Redis traffic.
//
// Why not hiredis' async API: measured against redis-benchmark it costs 0.96 of redis-benchmark's
// CPU time per decision (four epoll_ctl each); this one costs 0.60 to 0.64. The reasons: the read
// event stays registered for the life of the socket, a write event exists only after EAGAIN, all
// bytes of one pass go out in one write(), and an operation allocates only its reply.
//
// Owns the socket and its events, but not the loop, which must outlive it. Exchanges in flight when
// it is destroyed are dropped and not resumed. Failures are states of an Exchange, except in
// connect().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "io/loop.h"
#include "io/redis/endpoint.h"
#include "io/redis/redis.h"
#include "io/redis/reply_reader.h"
#include "io/tls/tls_session.h"

namespace rlctl {

class Connection final : public Redis, private Loop::Flushable {
 public:
  explicit Connection(Loop& loop) : loop_(loop) {}
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Connects, then sends AUTH and SELECT for the endpoint, and waits for a server that is still
  // loading, up to the time-out. If any of these fails, it closes the connection and throws
  // Error(Exit::target). May be called again after a close.
  Task<> connect(Endpoint endpoint);

  // Without an open socket the exchange becomes not_sent.
  void start(Exchange& exchange, std::string_view wire) override;

  bool is_open() const { return socket_ >= 0; }

  // Called when an open connection closes, before the waiting coroutines are resumed. The function
  // must not destroy the connection.
  void on_close(std::function<void()> told) { closed_ = std::move(told); }

  // Asked about each error reply before it is delivered. If it returns true it has taken the
  // exchange over and resumes its waiter later: a cluster follows redirections this way. It must
  // not destroy the connection.
  using ErrorTaker = std::function<bool(Exchange&)>;
  void on_error(ErrorTaker taker) { taker_ = std::move(taker); }

  // The name of this node in a cluster: every problem begins with it.
  void called(std::string name) { name_ = std::move(name); }

  // Closes. What was in flight becomes `lost`; what was not yet written becomes `not_sent`.
  void close(const std::string& problem);

  // Why there is no connection, for what is started from now on; as for close().
  void not_connected(std::string why) { why_not_connected_ = std::move(why); }

 private:
  Task<> introduce(const Endpoint& endpoint);
  void opened(int socket, std::int64_t timeout_us);
  void flush() override;
  void watch();
  void on_readable();
  void on_deadline();
  bool read_some();
  ssize_t receive(char* bytes, std::size_t size);
  ssize_t write_some(std::string_view bytes);
  std::string why_it_ended() const;
  Error explained(const Error& error, const Endpoint& endpoint) const;
  void deliver_replies(std::int64_t received_us);
  void stamp_sent();
  void deliver(Exchange& exchange);

  Loop& loop_;
  std::string name_;  // empty: there is one server
  std::string why_not_connected_;
  std::function<void()> closed_;
  ErrorTaker taker_;
  int socket_ = -1;
  event* read_event_ = nullptr;
  event* write_event_ = nullptr;
  event* deadline_event_ = nullptr;
  std::int64_t timeout_us_ = 0;
  std::unique_ptr<TlsSession> tls_;  // null: no TLS; after a close still there to say why
  bool hung_up_ = false;             // the server's end was seen, perhaps behind bytes
  bool delivering_ = false;          // while it resumes coroutines: must not be destroyed

  // First in, first out, linked through Exchange::next. All before `unsent_` have been written.
  Exchange* first_ = nullptr;
  Exchange* last_ = nullptr;
  Exchange* unsent_ = nullptr;
  std::string out_;
  std::size_t out_done_ = 0;
  ReplyReader reader_;
};

}  // namespace rlctl
