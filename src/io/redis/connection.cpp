#include "io/redis/connection.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <new>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "io/clock.h"
#include "io/descriptor.h"
#include "io/loop.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"
#include "io/redis/socket.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLoadingPauseUs = 25'000;

constexpr const char* kHungUp = "the server closed the connection";
constexpr const char* kSpeaksTls = "this port speaks TLS";

std::string auth_command(const Endpoint& endpoint) {
  if (endpoint.user.empty()) return encode_command("AUTH", endpoint.password);
  return encode_command("AUTH", endpoint.user, endpoint.password);
}

// Byte 0x15 begins an alert of TLS, an answer to words in plain text.
std::string not_redis(const std::string& error) {
  if (error.find("\\x15") != std::string::npos) return kSpeaksTls;
  return "the peer does not speak Redis: " + escape_for_terminal(error);
}

// What to do if a connection in plain text ended so; empty: nothing special.
std::string hint_for(std::string_view problem) {
  if (problem.ends_with(kSpeaksTls)) return "write rediss:// instead of redis://, or add --tls";
  if (problem.ends_with(kHungUp))
    return "if this port speaks TLS, write rediss:// or add --tls; the server's log says more";
  return {};
}

}  // namespace

Connection::~Connection() {
  assert(!delivering_ && "a connection must outlive the coroutines that it resumes");
  loop_.forget(*this);
  free_event(read_event_);
  free_event(write_event_);
  free_event(deadline_event_);
  if (socket_ >= 0 && tls_) tls_->shut_down();
  if (socket_ >= 0) ::close(socket_);
}

Task<> Connection::connect(Endpoint endpoint) {
  assert(!is_open());
  const std::int64_t deadline_us = now_us() + endpoint.timeout_us;
  const Endpoint entrance = endpoint.detour ? endpoint.detour->entrance(endpoint) : endpoint;
  Descriptor socket(co_await open_socket(loop_, entrance));
  const TlsServer server{endpoint.name(), endpoint.host, endpoint.timeout_us};
  tls_ = endpoint.tls ? std::make_unique<TlsSession>(endpoint.tls, server, socket.get()) : nullptr;
  if (tls_) co_await tls_->handshake(loop_, deadline_us);
  opened(socket.release(), endpoint.timeout_us);
  try {
    co_await introduce(endpoint);
  } catch (const Error& error) {
    close("the connection could not be set up");
    throw explained(error, endpoint);
  }
}

Error Connection::explained(const Error& error, const Endpoint& endpoint) const {
  // In TLS 1.3 a server judges the client's certificate after the handshake.
  if (tls_ && tls_->problem()) return tls_->error();
  const std::string hint = tls_ || !endpoint.unix_path.empty() ? "" : hint_for(error.what());
  return hint.empty() ? error : Error(error.exit(), error.what(), hint);
}

void Connection::opened(int socket, std::int64_t timeout_us) {
  socket_ = socket;
  reader_.reset();
  timeout_us_ = timeout_us;
  watch();
  auto deadline = [](evutil_socket_t, short, void* self) {
    static_cast<Connection*>(self)->on_deadline();
  };
  deadline_event_ = event_new(loop_.base(), -1, EV_PERSIST, deadline, this);
  if (deadline_event_ == nullptr) throw std::bad_alloc();
  // One coarse timer per connection, not one per command: a time-out may come up to a quarter late.
  const timeval interval = to_timeval(timeout_us_ / 4 + 1);
  event_add(deadline_event_, &interval);
}

void Connection::watch() {
  auto readable = [](evutil_socket_t, short what, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    if ((what & EV_CLOSED) != 0) connection.hung_up_ = true;
    connection.on_readable();
  };
  auto writable = [](evutil_socket_t, short, void* self) {
    static_cast<Connection*>(self)->on_readable();
  };
  hung_up_ = false;
  const bool has_tls = tls_ != nullptr;
  read_event_ =
      socket_event(loop_, socket_, EV_READ | EV_CLOSED | EV_PERSIST, has_tls, readable, this);
  write_event_ = socket_event(loop_, socket_, EV_WRITE, has_tls, writable, this);
  event_add(read_event_, nullptr);
}

Task<> Connection::introduce(const Endpoint& endpoint) {
  if (!endpoint.password.empty()) co_await ask(*this, auth_command(endpoint));
  if (endpoint.database != 0) {
    std::string select = encode_command("SELECT", std::to_string(endpoint.database));
    co_await ask(*this, std::move(select));
  }
  // A server that is full, still loading or wants a password reports that at the first command.
  Exchange ping = co_await send(encode_command("PING"));
  const std::int64_t deadline_us = now_us() + timeout_us_;
  while (ping.is_refused() && error_code(ping.reply) == "LOADING" && now_us() < deadline_us) {
    co_await loop_.until(now_us() + kLoadingPauseUs);
    ping = co_await send(encode_command("PING"));
  }
  // Who may not ask, or can't write (PING fails like a write then), can read all the same.
  const bool can_read = ping.state == Exchange::State::replied &&
                        (is_permission_error(ping.reply) || error_code(ping.reply) == "MISCONF");
  if (!can_read) reply_or_throw(ping);
}

void Connection::start(Exchange& exchange, std::string_view wire) {
  exchange.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &exchange;
  last_ = &exchange;
  if (unsent_ == nullptr) unsent_ = &exchange;
  if (socket_ >= 0) out_ += wire;
  loop_.want_flush(*this);
}

void Connection::stamp_sent() {
  if (unsent_ == nullptr) return;
  const std::int64_t sent_us = now_us();
  for (; unsent_ != nullptr; unsent_ = unsent_->next) unsent_->sent_us = sent_us;
}

void Connection::flush() {
  if (socket_ < 0)
    return close("not connected" + (why_not_connected_.empty() ? "" : ": " + why_not_connected_));
  stamp_sent();
  while (out_done_ < out_.size()) {
    const ssize_t written = write_some(std::string_view(out_).substr(out_done_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      if (!tls_ || tls_->wants_write()) event_add(write_event_, nullptr);
      return;
    }
    if (written < 0) {
      // The peer hung up. The reason ("max number of clients reached") and the end come as a read
      // event.
      ::shutdown(socket_, SHUT_RDWR);
      return;
    }
    out_done_ += static_cast<std::size_t>(written);
  }
  out_.clear();
  out_done_ = 0;
}

ssize_t Connection::receive(char* bytes, std::size_t size) {
  return tls_ ? tls_->read(bytes, size) : ::recv(socket_, bytes, size, 0);
}

ssize_t Connection::write_some(std::string_view bytes) {
  return tls_ ? tls_->write(bytes.data(), bytes.size())
              : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void Connection::on_readable() {
  const bool open = read_some();
  delivering_ = true;
  deliver_replies(now_us());
  delivering_ = false;
  if (!open) return close(why_it_ended());
  // Write now, not at the end of the pass: with one request per connection in flight, a server that
  // has answered all of them would be idle until the last answer is read.
  // And a write may have waited for this.
  if (socket_ >= 0 && !out_.empty()) flush();
}

std::string Connection::why_it_ended() const {
  if (tls_ && tls_->problem()) return tls_->problem()->what;
  return kHungUp;
}

// No event tells of what TLS holds, or of what an edge left behind. A peer that never stops must
// not hold up the loop: the rest is read in the next pass, when the socket is writable.
bool Connection::read_some() {
  char bytes[16 * 1024];
  for (int reads = 0; reads < kMostReadsAtOnce; ++reads) {
    const ssize_t got = receive(bytes, sizeof bytes);
    const auto size = static_cast<std::size_t>(got);
    if (got > 0) reader_.feed(bytes, size);
    if (got > 0 && (tls_ ? tls_->has_pending() : hung_up_ || size == sizeof bytes)) continue;
    if (tls_ && tls_->wants_write()) event_add(write_event_, nullptr);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }
  event_add(write_event_, nullptr);
  return true;
}

void Connection::deliver_replies(std::int64_t received_us) {
  Reply reply;
  while (socket_ >= 0) {  // a resumed coroutine may close
    const ReplyReader::Next next = reader_.next(reply);
    if (next == ReplyReader::Next::need_more) return;
    if (next == ReplyReader::Next::protocol_error) return close(not_redis(reader_.error()));
    // A reply without a command (none, or none sent yet) is the reason why the server hangs up.
    if (first_ == unsent_)
      return close("the server closed the connection: " + escape_for_terminal(reply.text));
    Exchange& exchange = *first_;
    exchange.reply = std::move(reply);
    exchange.received_us = received_us;
    exchange.state = Exchange::State::replied;
    deliver(exchange);
  }
}

void Connection::deliver(Exchange& exchange) {
  first_ = exchange.next;
  if (first_ == nullptr) last_ = nullptr;
  if (exchange.reply.is_error() && taker_ && taker_(exchange)) return;
  loop_.resume(exchange.waiter);
}

void Connection::on_deadline() {
  if (first_ == nullptr || first_ == unsent_ || now_us() - first_->sent_us < timeout_us_) return;
  close("no reply within " + format_duration(timeout_us_));
}

void Connection::close(const std::string& problem) {
  free_event(read_event_);
  free_event(write_event_);
  free_event(deadline_event_);
  const bool was_open = socket_ >= 0;
  if (was_open) why_not_connected_ = problem;
  if (was_open && tls_) tls_->shut_down();
  if (was_open) ::close(socket_);
  socket_ = -1;
  if (was_open && closed_) closed_();
  out_.clear();
  out_done_ = 0;
  // Detached first: a resumed coroutine may start another command, which then waits for the next
  // flush. Or it destroys this connection, so only locals may be used from here on.
  Loop& loop = loop_;
  const std::string told = name_.empty() ? problem : name_ + ": " + problem;
  Exchange* exchange = std::exchange(first_, nullptr);
  Exchange* unsent = std::exchange(unsent_, nullptr);
  last_ = nullptr;
  for (auto state = Exchange::State::lost; exchange != nullptr;) {
    if (exchange == unsent) state = Exchange::State::not_sent;
    exchange->state = state;
    exchange->problem = told;
    Exchange* const next = exchange->next;
    loop.resume(exchange->waiter);
    exchange = next;
  }
}

}  // namespace rlctl
