#include "io/http/h2_connection.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "io/clock.h"
#include "io/http/h2_client.h"

namespace rlctl {

H2Connection::H2Connection(H2Client& client, ClientSockets& sockets,
                           std::shared_ptr<const HttpPlace> goes_to)
    : client_(client),
      loop_(sockets.loop()),
      socket_(sockets, std::move(goes_to), *this, "h2"),
      session_(sockets.settings()) {}

H2Connection::~H2Connection() { loop_.forget(*this); }

// Still to be opened, or without any room: others may come to wait with those that do.
bool H2Connection::is_awaited() const {
  if (retired_) return false;
  return !session_.is_ready() || (session_.takes_more() && session_.in_flight() == 0);
}

bool H2Connection::is_idle() const {
  return session_.is_ready() && session_.in_flight() == 0 && waiting_.empty() && !delivering_;
}

void H2Connection::begin(H2Exchange& exchange) {
  exchange.connection = this;
  if (!exchange.request) return without_request_.push_back(&exchange);
  waiting_.push_back(&exchange);
  ask_waiting();
}

void H2Connection::ask_waiting() {
  while (!waiting_.empty() && session_.room() > 0) {
    session_.ask(*waiting_.front());
    waiting_.pop_front();
  }
  if (session_.has_output()) loop_.want_flush(*this);
}

void H2Connection::on_open() {
  if (socket_.has_tls() && socket_.chosen_protocol() != "h2")
    return on_not_open("the server does not offer HTTP/2");
  open_ = true;
  flush();
}

void H2Connection::on_not_open(std::string problem) { client_.ended(*this, problem); }

void H2Connection::flush() {
  if (!open_ || !session_.has_output()) return;
  session_.written(socket_.write(session_.output(now_us())));
}

// A write of TLS may have waited for what can be read now.
void H2Connection::on_readable() {
  if (socket_.has_tls()) flush();
  read();
}

void H2Connection::on_writable() {
  flush();
  read();
}

// What the answers have caused is written when there are no more answers: a server works much
// better on many requests than on a few at a time. False: the connection has ended, and is gone.
bool H2Connection::read() {
  char bytes[16 * 1024];
  for (int reads = 0; reads < kMostReadsAtOnce; ++reads) {
    const ssize_t got = socket_.read(bytes, sizeof bytes);
    const int os_error = errno;
    if (got < 0 && (os_error == EAGAIN || os_error == EINTR)) {
      flush();
      return true;
    }
    if (got <= 0) {
      const std::string problem = socket_.end_words(got, os_error);
      client_.ended(*this, problem.empty() ? session_.problem() : problem);
      return false;
    }
    heard_us_ = now_us();
    session_.take({bytes, static_cast<std::size_t>(got)}, heard_us_);
    deliver();
    if (is_done()) {
      flush();
      client_.ended(*this, session_.problem());
      return false;
    }
  }
  socket_.wait_writable();
  return true;
}

void H2Connection::deliver() {
  delivering_ = true;
  if (session_.is_ready())
    for (H2Exchange* exchange : std::exchange(without_request_, {})) client_.connected(*exchange);
  const bool was_awaited = !waiting_.empty();
  ask_waiting();
  if (was_awaited && session_.in_flight() > 0) client_.place_elsewhere(waiting_);
  for (auto ended = session_.take_ended(); !ended.empty(); ended = session_.take_ended())
    for (H2Stream* stream : ended) client_.ended(static_cast<H2Exchange&>(*stream));
  delivering_ = false;
}

bool H2Connection::is_done() const {
  return session_.is_over() || (retired_ && session_.in_flight() == 0 && waiting_.empty());
}

bool H2Connection::is_alive(std::int64_t now_us) {
  return !is_idle() || now_us - heard_us_ < kSurelyAliveUs || read();
}

// A server that has been silent since the request was sent may be gone: no other request goes
// there.
bool H2Connection::give_up(H2Exchange& exchange) {
  if (std::erase(waiting_, &exchange) + std::erase(without_request_, &exchange) > 0)
    return session_.is_ready() || !waiting_.empty() || !without_request_.empty();
  session_.cancel(exchange);
  retired_ = retired_ || heard_us_ < exchange.exchange->sent_us;
  loop_.want_flush(*this);
  return !is_done();
}

}  // namespace rlctl
