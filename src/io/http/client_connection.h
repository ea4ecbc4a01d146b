// ClientConnection: one connection of an OwnClient, for one request after the other. It connects,
// agrees on TLS, sends a request and reads its response; a response that leaves it usable makes it
// idle. Once its exchange has ended it tells the client, which may destroy it. One thread.
//
// A request is sent again, on a new connection, in one case: the server had closed its socket
// before the request arrived, so that nobody can have read it.
#pragma once

#include <coroutine>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "io/http/own_client.h"
#include "io/http/response_reader.h"
#include "io/tls/tls_session.h"

struct event;

namespace rlctl {

class ClientConnection {
 public:
  ClientConnection(OwnClient& client, std::shared_ptr<const HttpPlace> goes_to);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  // Starts an exchange, which must live until it has ended. False: it has ended already.
  bool begin(HttpExchange& exchange, const RenderedRequest& request, std::int64_t now_us);
  // The time is up: ends the exchange.
  void give_up(const std::string& within);

  bool goes_to(const std::shared_ptr<const HttpPlace>& there) const {
    return there == goes_to_ || *there == *goes_to_;
  }
  bool is_idle() const { return phase_ == Phase::idle; }
  // Of an idle one: whether the server has neither hung up nor sent anything since. A system call.
  bool is_alive();
  std::int64_t begun_us() const { return begun_us_; }
  std::int64_t answered_us() const { return answered_us_; }
  std::coroutine_handle<> waiter() const { return exchange_->waiter; }

  // Position in the client's list.
  std::list<ClientConnection>::iterator place;

 private:
  enum class Phase : std::uint8_t { closed, connecting, agreeing, asking, idle };

  bool connect();
  bool try_address(const HostAddress& address);
  bool bind_source(int socket) const;
  bool connected();
  bool agree();
  bool ask(std::int64_t sent_us);
  void write();
  void read();
  ssize_t read_some(char* bytes, std::size_t size);
  void replied(std::int64_t received_us, bool whole);
  void ended(ssize_t got, std::int64_t received_us);
  bool was_closed_before() const;
  bool ask_again();
  bool fail(std::string problem);
  void lose(std::string problem);
  void close();
  void on_readable();
  void on_writable();
  void wait_writable();

  OwnClient& client_;
  std::shared_ptr<const HttpPlace> goes_to_;
  int socket_ = -1;
  event* read_event_ = nullptr;
  event* write_event_ = nullptr;  // while it connects, and after EAGAIN
  std::unique_ptr<TlsSession> tls_;
  Phase phase_ = Phase::closed;
  bool is_head_ = false;
  bool reused_ = false;  // it has answered before
  std::uint16_t addresses_tried_ = 0;
  std::int64_t begun_us_ = 0;
  std::int64_t answered_us_ = 0;
  HttpExchange* exchange_ = nullptr;
  std::string wire_;         // the request
  std::size_t written_ = 0;  // of it
  std::string problem_;      // of the last address
  ResponseReader reader_;
};

}  // namespace rlctl
