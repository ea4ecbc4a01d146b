// HttpClient: HTTP requests on our loop, by one of two engines.
//
//   HttpExchange exchange = co_await client.send(request);
//
// In HTTP/1.1 each request in flight has its own connection, which is kept alive for the next one
// to the same place from the same source address; in HTTP/2 those share one. A request is repeated
// only if nobody can have read it, and redirects are never followed. A proxy is used only if the
// settings name one; the environment is ignored.
//
// Owns the connections. The loop and the settings must outlive it, and it must outlive the
// coroutines that it resumes. One thread. Throws only std::bad_alloc.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/host_address.h"
#include "base/words.h"
#include "io/http/http_exchange.h"
#include "io/loop.h"
#include "io/tls/tls_settings.h"

struct sockaddr;

namespace rlctl {

class TlsClient;
struct HttpPlace;

enum class HttpEngine : std::uint8_t {
  own,   // OwnClient and H2Client, the fast ones
  curl,  // CurlClient: proxies too
};

inline constexpr Word<HttpEngine> kHttpEngineWords[] = {{"own", HttpEngine::own},
                                                        {"curl", HttpEngine::curl}};
constexpr std::span<const Word<HttpEngine>> words_of(HttpEngine) { return kHttpEngineWords; }

struct HttpSettings : ResponseWishes {
  std::int64_t timeout_us = 2'000'000;  // of one exchange, connecting included
  TlsSettings tls;
  std::shared_ptr<TlsClient> tls_client;  // of these settings, if several clients shall share it
  std::optional<HttpEngine> engine;       // empty: the fast one that does what is asked
  bool http2 = false;  // over TLS by ALPN, without TLS from the first byte (prior knowledge)
  std::string proxy;   // http://host:port, socks5h://…
  // Checks every address before a connection to it is made. Empty: every address is accepted.
  std::function<bool(const sockaddr&)> may_connect;
  // A host name and its addresses: no look-ups during the run.
  std::string host;
  std::string port;
  std::vector<HostAddress> addresses;

  HttpEngine engine_used() const {
    return engine.value_or(proxy.empty() ? HttpEngine::own : HttpEngine::curl);
  }
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  class Send {
   public:
    Send(HttpClient& client, const HttpQuestion& request) : client_(client), request_(request) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> awaiting) {
      exchange_.waiter = awaiting;
      return client_.start(exchange_, request_);
    }
    HttpExchange&& await_resume() { return std::move(exchange_); }
    // After that, for who keeps this.
    const HttpExchange& exchange() const { return exchange_; }

   private:
    HttpClient& client_;
    const HttpQuestion& request_;
    HttpExchange exchange_;
  };
  // The request must live until the co_await suspends; a temporary does.
  Send send(const HttpQuestion& request) { return {*this, request}; }

  class Connect {
   public:
    Connect(HttpClient& client, std::shared_ptr<const HttpPlace> place)
        : client_(client), place_(std::move(place)) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> awaiting) {
      exchange_.waiter = awaiting;
      return client_.start_connecting(exchange_, place_);
    }
    bool await_resume() { return exchange_.state == HttpExchange::State::replied; }

   private:
    HttpClient& client_;
    std::shared_ptr<const HttpPlace> place_;
    HttpExchange exchange_;
  };
  // Opens one more connection, for a request to come; in HTTP/2, the one that requests share,
  // unless it is there. False: it can't, and the request will say why.
  Connect connect(std::shared_ptr<const HttpPlace> place) { return {*this, std::move(place)}; }

 private:
  // True if the exchange is pending: its waiter is resumed when it has ended.
  virtual bool start(HttpExchange& exchange, const HttpQuestion& request) = 0;
  // The same without a request: `replied` means that the connection is open. libcurl gives no
  // request a connection that was made without one.
  virtual bool start_connecting(HttpExchange& exchange, const std::shared_ptr<const HttpPlace>&) {
    exchange.state = HttpExchange::State::not_sent;
    return false;
  }
};

std::unique_ptr<HttpClient> make_http_client(Loop& loop, const HttpSettings& settings);

// HttpPool: the HttpClients of a run, one for each 50 users (curl_client.h says why).
//
// Owns the clients and the settings; the loop must outlive it. One thread.

class HttpPool {
 public:
  static constexpr std::int64_t kUsersPerClient = 50;

  HttpPool(Loop& loop, HttpSettings settings) : loop_(loop), settings_(std::move(settings)) {}
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // The client for one more user. The reference stays valid.
  HttpClient& client_for_user() {
    if (users_++ % kUsersPerClient == 0) clients_.push_back(make_http_client(loop_, settings_));
    return *clients_.back();
  }

  // Opens that many connections for the users that are new since the last call, before their first
  // requests, which would have to wait for them. Fewer if one can't be opened: the requests will
  // tell.
  Task<> prepare(std::shared_ptr<const HttpPlace> place, std::size_t connections);

 private:
  struct Opening;
  Task<> open_some(Opening& opening);

  Loop& loop_;
  const HttpSettings settings_;
  std::size_t users_ = 0;
  std::size_t prepared_users_ = 0;
  std::vector<std::unique_ptr<HttpClient>> clients_;
};

}  // namespace rlctl
