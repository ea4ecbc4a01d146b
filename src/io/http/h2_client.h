// H2Client: HTTP/2, over TLS if the server chooses it, and without TLS from the first byte. All
// requests to a place from one source address share a connection, as far as the server allows: the
// next one is opened when it takes no more at once.
//
// A request is sent again in one case: the server said that it refused it unread, which it does
// when it ends a connection (GOAWAY). Then nobody has counted it.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <string>

#include "io/http/client_socket.h"
#include "io/http/exchange_deadline.h"
#include "io/http/h2_connection.h"
#include "io/http/http_client.h"
#include "io/http/rendered_request.h"

namespace rlctl {

class H2Client final : public HttpClient {
 public:
  H2Client(Loop& loop, const HttpSettings& settings);
  H2Client(const H2Client&) = delete;
  H2Client& operator=(const H2Client&) = delete;

  // For H2Connection.
  void ended(H2Exchange& exchange);
  // The connection has ended, and with it what it had to do: it is destroyed.
  void ended(H2Connection& connection, const std::string& problem);
  // For these, it has no room.
  void place_elsewhere(std::deque<H2Exchange*>& waiting);
  // For this, which has no request, there is a connection.
  void connected(H2Exchange& exchange);

 private:
  bool start(HttpExchange& exchange, const HttpQuestion& question) override;
  bool start_connecting(HttpExchange& exchange,
                        const std::shared_ptr<const HttpPlace>& place) override;
  bool begin(HttpExchange& exchange, std::shared_ptr<const HttpPlace> goes_to,
             std::shared_ptr<const H2Request> request);
  bool place(H2Exchange& exchange);
  H2Connection* connection_to(const std::shared_ptr<const HttpPlace>& there);
  void make_room();
  void hand_out(H2Exchange& exchange);
  void on_deadline();
  void give_up(H2Exchange& exchange, const std::string& within);

  ClientSockets sockets_;
  ExchangeDeadline deadline_;
  RenderedRequest rendered_;
  std::shared_ptr<const H2Request> request_;  // of rendered_
  std::list<H2Exchange> active_;              // oldest first
  std::list<H2Exchange> spare_;
  std::list<H2Connection> connections_;
};

}  // namespace rlctl
