// CurlClient: HTTP/1.1, and HTTP/2 over TLS, through libcurl's multi socket interface on our loop.
// For what OwnClient does not do (proxies, HTTP/2), and to compare with it.
//
// Use one client for about 50 users: libcurl walks through all connections of a client, so one
// client with 3,000 of them reaches 20,000 requests/s where 60 clients reach 39,000.
#pragma once

#include <list>

#include "io/http/exchange_deadline.h"
#include "io/http/http_client.h"
#include "io/http/http_sockets.h"
#include "io/loop.h"

struct curl_slist;
struct event;

namespace rlctl {

class HttpTransfer;

class CurlClient final : public HttpClient, private HttpSockets::Listener, private Loop::Flushable {
 public:
  CurlClient(Loop& loop, const HttpSettings& settings);
  ~CurlClient() override;
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

 private:
  struct Callbacks;  // libcurl's, in curl_client.cpp
  friend struct Callbacks;

  bool start(HttpExchange& exchange, const HttpQuestion& request) override;
  HttpTransfer& take_transfer();
  void on_ready(int socket, bool readable, bool writable) override;
  void flush() override;
  void act(int socket, int events);
  void set_timer(long milliseconds);
  void on_deadline();
  void collect();
  void hand_out(HttpTransfer& transfer, HttpExchange& exchange);

  Loop& loop_;
  const HttpSettings& settings_;
  std::shared_ptr<curl_slist> resolve_;
  HttpSockets sockets_;
  void* multi_ = nullptr;
  event* timer_ = nullptr;  // libcurl's
  ExchangeDeadline deadline_;
  bool acting_ = false;             // inside libcurl or resuming: must not be destroyed
  std::list<HttpTransfer> active_;  // oldest first
  std::list<HttpTransfer> idle_;
};

}  // namespace rlctl
