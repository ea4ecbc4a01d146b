// HttpClient: HTTP/1.1, and HTTP/2 over TLS, through libcurl's multi socket interface on our loop.
//
//   HttpExchange exchange = co_await client.send(request);
//
// Use one client for about 50 users: libcurl walks through all connections of a client, so one
// client with 3,000 of them reaches 20,000 requests/s where 60 clients reach 39,000. HttpPool
// assigns users to clients.
//
// Each request in flight has its own connection, which is kept alive for the next request to the
// same place from the same source address. Requests are never repeated and redirects are never
// followed. A proxy is used only if the settings name one; the environment is ignored.
//
// Owns the connections. The loop and the settings must outlive it, and it must outlive the
// coroutines that it resumes. One thread. Throws only std::bad_alloc.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "io/http/http_exchange.h"
#include "io/http/http_sockets.h"
#include "io/loop.h"
#include "io/tls/tls_settings.h"

struct curl_slist;
struct event;
struct sockaddr;

namespace rlctl {

class HttpTransfer;

struct HttpSettings {
  std::int64_t timeout_us = 2'000'000;  // of one exchange, connecting included
  TlsSettings tls;
  bool http2 = false;  // offered by ALPN; plain http:// stays at 1.1
  std::string proxy;   // http://host:port, socks5h://…
  std::size_t kept_body_bytes = 0;
  std::function<bool(std::string_view name)> keeps_field = [](std::string_view) { return false; };
  // Checks every address before a connection to it is made. Empty: every address is accepted.
  std::function<bool(const sockaddr&)> may_connect;
  // Addresses of host names, resolved once (http_resolve_list): no look-ups during the run.
  std::shared_ptr<curl_slist> resolve;
};

// A host, a port and their addresses in the form that libcurl expects.
std::shared_ptr<curl_slist> http_resolve_list(const std::string& host, const std::string& port,
                                              const std::vector<std::string>& addresses);

class HttpClient final : private HttpSockets::Listener, private Loop::Flushable {
 public:
  HttpClient(Loop& loop, const HttpSettings& settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  class Send {
   public:
    Send(HttpClient& client, const HttpQuestion& request) : client_(client), request_(request) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiting) {
      exchange_.waiter = awaiting;
      client_.start(exchange_, request_);
    }
    HttpExchange await_resume() { return std::move(exchange_); }

   private:
    HttpClient& client_;
    const HttpQuestion& request_;
    HttpExchange exchange_;
  };
  // The request must live until the co_await suspends; a temporary does.
  Send send(const HttpQuestion& request) { return {*this, request}; }

 private:
  struct Callbacks;  // libcurl's, in http_client.cpp
  friend struct Callbacks;

  void start(HttpExchange& exchange, const HttpQuestion& request);
  HttpTransfer& take_transfer();
  void on_ready(int socket, bool readable, bool writable) override;
  void flush() override;
  void act(int socket, int events);
  void set_timer(long milliseconds);
  void arm_deadline();
  void on_deadline();
  void collect();
  void hand_out(HttpTransfer& transfer, HttpExchange& exchange);

  Loop& loop_;
  const HttpSettings& settings_;
  HttpSockets sockets_;
  void* multi_ = nullptr;
  event* timer_ = nullptr;     // libcurl's
  event* deadline_ = nullptr;  // of the oldest exchange in flight
  bool deadline_armed_ = false;
  bool acting_ = false;             // inside libcurl or resuming: must not be destroyed
  std::list<HttpTransfer> active_;  // oldest first
  std::list<HttpTransfer> idle_;
};

// HttpPool: the HttpClients of a run, one for each 50 users (http_client.h says why).
//
// Owns the clients and the settings; the loop must outlive it. One thread.

class HttpPool {
 public:
  HttpPool(Loop& loop, HttpSettings settings) : loop_(loop), settings_(std::move(settings)) {}
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // The client for one more user. The reference stays valid.
  HttpClient& client_for_user() {
    constexpr std::size_t kUsersPerClient = 50;
    if (users_++ % kUsersPerClient == 0)
      clients_.push_back(std::make_unique<HttpClient>(loop_, settings_));
    return *clients_.back();
  }

 private:
  Loop& loop_;
  const HttpSettings settings_;
  std::size_t users_ = 0;
  std::vector<std::unique_ptr<HttpClient>> clients_;
};

}  // namespace rlctl
