#include "io/http/server/http_server.h"

#include <unistd.h>

#include "base/timestamp.h"
#include "io/clock.h"
#include "io/http/server/http_connection.h"

namespace rlctl {
namespace {

constexpr std::int64_t kTickUs = 500'000;      // resolution of idle and request time-outs
constexpr std::int64_t kStopLookUs = 5'000;    // resolution of a stop
constexpr std::size_t kReadBytes = 64 * 1024;  // one buffer for all connections: none keeps it

}  // namespace

HttpServer::HttpServer(Loop& loop, Handler handler, HttpBounds bounds)
    : loop_(loop), handler_(std::move(handler)), bounds_(bounds), read_buffer_(kReadBytes) {}

HttpServer::~HttpServer() { loop_.forget(*this); }

void HttpServer::listen(const ListenAddress& address) {
  listener_.emplace(loop_, address,
                    [this](int descriptor, const HostAddress& peer) { accept(descriptor, peer); });
  port_ = listener_->port();
  url_ = listener_->url();
  ticker_.emplace(loop_, kTickUs, [this] { tick(); });
}

void HttpServer::accept(int descriptor, const HostAddress& peer) {
  if (connections_.size() >= bounds_.most_connections)
    if (HttpConnection* const idle = longest_idle()) idle->drain();
  connections_.push_back(std::make_unique<HttpConnection>(*this, descriptor, peer));
  connections_.back()->index = connections_.size() - 1;
  listen_if_room();
}

// Null if none is idle for at least a tick: a client that has just connected is about to ask.
HttpConnection* HttpServer::longest_idle() const {
  std::int64_t first_us = now_us() + bounds_.idle_us - kTickUs;
  HttpConnection* longest = nullptr;
  for (const auto& connection : connections_) {
    const std::int64_t until_us = connection->idle_until_us();
    if (until_us == 0 || until_us > first_us) continue;
    first_us = until_us;
    longest = connection.get();
  }
  return longest;
}

void HttpServer::listen_if_room() {
  if (!listener_) return;
  if (connections_.size() < bounds_.most_connections || longest_idle() != nullptr)
    listener_->resume();
  else
    listener_->pause();
}

void HttpServer::want_attention(HttpConnection& connection) {
  if (connection.wants_attention) return;
  connection.wants_attention = true;
  attention_.push_back(&connection);
  loop_.want_flush(*this);
}

void HttpServer::flush() {
  while (!attention_.empty()) {
    HttpConnection& connection = *attention_.back();
    attention_.pop_back();
    connection.wants_attention = false;
    connection.attend();
    if (connection.is_over() && !connection.wants_attention) remove(connection);
  }
}

void HttpServer::remove(HttpConnection& connection) {
  const std::size_t index = connection.index;
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  connections_.pop_back();
  if (connections_.size() + 1 == bounds_.most_connections) listen_if_room();
}

void HttpServer::tick() {
  const std::int64_t now = now_us();
  for (const auto& connection : connections_) connection->check_deadline(now);
  // A connection may have become idle, or a descriptor free.
  listen_if_room();
}

std::string_view HttpServer::date() {
  const std::int64_t now = now_us();
  if (now / 1'000'000 != date_second_) {
    date_second_ = now / 1'000'000;
    date_ = format_http_date(now);
  }
  return date_;
}

Task<> HttpServer::stop(std::int64_t grace_us) {
  stopping_ = true;
  listener_.reset();
  for (const auto& connection : connections_) connection->drain();
  const std::int64_t deadline_us = now_us() + grace_us;
  while (!connections_.empty() && now_us() < deadline_us)
    co_await loop_.until(now_us() + kStopLookUs);
  for (const auto& connection : connections_) connection->give_up();
}

}  // namespace rlctl
