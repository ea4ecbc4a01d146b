// HttpServer: HTTP/1.1 and 1.0 on one Loop; a coroutine answers each request.
//
// Why not libevent's evhttp: up to 2.1 (the version in distributions) it can't limit its
// connections, does not report a connection that closes before its first request, and answers a too
// long head with an HTML page and status 400. This server uses the fast path of
// io/redis/connection.h in the other direction: a read event for the life of the socket, all output
// of one pass in one write, a write event only after EAGAIN.
//
// Owns the listener, the connections and the running handlers, but not the loop. A client's error
// gets an answer (400, 408, 413, 417, 431, 501, 505) or ends its connection. listen() throws
// Error(Exit::target). A handler that throws becomes a 500. If a client leaves, its handler still
// runs to the end: the decision was requested and counts. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/http/http_head.h"
#include "io/http/listener.h"
#include "io/http/server/http_answer.h"
#include "io/loop.h"

namespace rlctl {

struct HttpBounds {
  // A further one takes the place of the one that is idle the longest. If all are busy, it waits in
  // the kernel's backlog.
  std::size_t most_connections = 4096;
  std::int64_t idle_us = 75'000'000;     // between requests
  std::int64_t request_us = 15'000'000;  // from a request's first byte to its last
  std::int64_t write_us = 15'000'000;    // until the client has taken an answer
};

// Valid until the answer is complete.
struct HttpRequest {
  HttpHead head;
  HostAddress peer;
};

class HttpConnection;

class HttpServer : private Loop::Flushable {
 public:
  using Handler = std::function<Task<HttpAnswer>(const HttpRequest&)>;

  HttpServer(Loop& loop, Handler handler, HttpBounds bounds = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void listen(const ListenAddress& address);
  std::uint16_t port() const { return port_; }
  const std::string& url() const { return url_; }

  std::size_t connections() const { return connections_.size(); }
  std::uint64_t refused() const { return refused_; }  // answered before the handler saw them

  // Accepts no new connection, closes idle ones, lets requests that have begun finish for up to
  // `grace_us`, then closes the rest.
  Task<> stop(std::int64_t grace_us);

 private:
  friend class HttpConnection;
  void accept(int descriptor, const HostAddress& peer);
  void want_attention(HttpConnection& connection);
  void flush() override;
  void tick();
  void remove(HttpConnection& connection);
  HttpConnection* longest_idle() const;
  void listen_if_room();
  std::string_view date();

  Loop& loop_;
  Handler handler_;
  HttpBounds bounds_;
  std::optional<Listener> listener_;
  std::optional<Ticker> ticker_;
  std::uint16_t port_ = 0;
  std::string url_;
  bool stopping_ = false;
  std::uint64_t refused_ = 0;
  std::int64_t date_second_ = -1;
  std::string date_;
  std::vector<char> read_buffer_;
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  std::vector<HttpConnection*> attention_;
};

}  // namespace rlctl
