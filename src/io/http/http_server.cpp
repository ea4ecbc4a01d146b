#include "io/http/http_server.h"

#include <unistd.h>

#include "base/timestamp.h"
#include "io/clock.h"
#include "io/http/http_connection.h"

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
  connections_.push_back(std::make_unique<HttpConnection>(*this, descriptor, peer));
  connections_.back()->index = connections_.size() - 1;
  if (connections_.size() >= bounds_.most_connections) listener_->pause();
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
  if (listener_ && connections_.size() + 1 == bounds_.most_connections) listener_->resume();
}

void HttpServer::tick() {
  const std::int64_t now = now_us();
  for (const auto& connection : connections_) connection->check_deadline(now);
  // Also resumes a listener that paused because no descriptors were left.
  if (listener_ && connections_.size() < bounds_.most_connections) listener_->resume();
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
