// OwnClient: HTTP/1.1 as fast as our Redis connections, on their design (redis/connection.h): a
// read event for the life of the socket, a write at once, a write event only after EAGAIN, requests
// rendered once, no allocation but for the answer.
//
// It does what a load needs: bodies by length, in chunks or up to the end, keep-alive, TLS, source
// addresses. H2Client speaks HTTP/2, and CurlClient goes through proxies.
#pragma once

#include <list>

#include "io/http/client_socket.h"
#include "io/http/exchange_deadline.h"
#include "io/http/http_client.h"
#include "io/http/rendered_request.h"

namespace rlctl {

class ClientConnection;

class OwnClient final : public HttpClient {
 public:
  OwnClient(Loop& loop, const HttpSettings& settings);
  ~OwnClient() override;
  OwnClient(const OwnClient&) = delete;
  OwnClient& operator=(const OwnClient&) = delete;

 private:
  friend class ClientConnection;

  bool start(HttpExchange& exchange, const HttpQuestion& question) override;
  bool start_connecting(HttpExchange& exchange,
                        const std::shared_ptr<const HttpPlace>& place) override;
  bool begin(ClientConnection& connection, HttpExchange& exchange, const RenderedRequest& request,
             std::int64_t now_us);
  ClientConnection& take_connection(std::int64_t now_us);
  ClientConnection& add_connection(std::shared_ptr<const HttpPlace> place);
  void hand_out(ClientConnection& connection);
  void drop(ClientConnection& idle);
  void on_deadline();

  ClientSockets sockets_;
  ExchangeDeadline deadline_;
  RenderedRequest request_;
  std::list<ClientConnection> active_;  // oldest first
  std::list<ClientConnection> idle_;    // last used first
};

}  // namespace rlctl
