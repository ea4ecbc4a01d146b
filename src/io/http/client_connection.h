// ClientConnection: one connection of an OwnClient, for one request after the other: it sends a
// request and reads its response; a response that leaves it usable makes it idle. Once its exchange
// has ended it tells the client, which may destroy it. One thread.
//
// A request is sent again, on a new connection, in one case: the server had closed its socket
// before the request arrived, so that nobody can have read it.
#pragma once

#include <coroutine>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "io/http/client_socket.h"
#include "io/http/own_client.h"
#include "io/http/response_reader.h"

namespace rlctl {

class ClientConnection final : private ClientSocket::Owner {
 public:
  ClientConnection(OwnClient& client, std::shared_ptr<const HttpPlace> goes_to);
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  // Starts an exchange, which must live until it has ended. False: it has ended already. With an
  // empty request it ends when the connection is open.
  bool begin(HttpExchange& exchange, const RenderedRequest& request, std::int64_t now_us);
  // The time is up: ends the exchange.
  void give_up(const std::string& within);

  bool goes_to(const std::shared_ptr<const HttpPlace>& there) const {
    return socket_.goes_to(there);
  }
  bool is_idle() const { return phase_ == Phase::idle; }
  // Of an idle one: whether the server has neither hung up nor sent anything since. A system call.
  bool is_alive() { return socket_.is_quiet(); }
  std::int64_t begun_us() const { return begun_us_; }
  std::int64_t answered_us() const { return answered_us_; }
  std::coroutine_handle<> waiter() const { return exchange_->waiter; }

  // Position in the client's list.
  std::list<ClientConnection>::iterator place;

 private:
  enum class Phase : std::uint8_t { closed, opening, asking, idle };

  bool open();
  void on_open() override;
  void on_not_open(std::string problem) override;
  void on_readable() override;
  void on_writable() override;
  void ask(std::int64_t sent_us);
  bool is_written() const { return written_ == wire_->size(); }
  void write();
  void read();
  void replied(std::int64_t received_us, bool whole);
  void ended(ssize_t got, std::int64_t received_us);
  void fail(std::string problem);
  void lose(std::string problem);
  void close();

  OwnClient& client_;
  ClientSocket socket_;
  Phase phase_ = Phase::closed;
  bool is_head_ = false;
  bool reused_ = false;  // it was open before its request came
  std::int64_t begun_us_ = 0;
  std::int64_t answered_us_ = 0;
  HttpExchange* exchange_ = nullptr;
  std::shared_ptr<const std::string> wire_;  // the request; null: none
  std::size_t written_ = 0;                  // of it
  ResponseReader reader_;
};

}  // namespace rlctl
