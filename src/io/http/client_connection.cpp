#include "io/http/client_connection.h"

#include <errno.h>

#include <utility>

#include "io/clock.h"

namespace rlctl {

ClientConnection::ClientConnection(OwnClient& client, std::shared_ptr<const HttpPlace> goes_to)
    : client_(client), socket_(client.sockets_, std::move(goes_to), *this) {}

bool ClientConnection::begin(HttpExchange& exchange, const RenderedRequest& request,
                             std::int64_t now_us) {
  exchange_ = &exchange;
  is_head_ = request.is_head();
  wire_ = request.wire();
  begun_us_ = now_us;
  if (phase_ != Phase::idle) return open();
  ask(begun_us_);
  return true;
}

// False: the exchange has ended.
bool ClientConnection::open() {
  phase_ = Phase::opening;
  std::string problem = socket_.open();
  if (problem.empty()) return true;
  fail(std::move(problem));
  return false;
}

void ClientConnection::on_open() {
  if (wire_) return ask(now_us());
  exchange_->state = HttpExchange::State::replied;
  phase_ = Phase::idle;
  reused_ = true;
  client_.hand_out(*this);
}

void ClientConnection::on_not_open(std::string problem) {
  fail(std::move(problem));
  client_.hand_out(*this);
}

void ClientConnection::ask(std::int64_t sent_us) {
  exchange_->sent_us = sent_us;
  reader_.begin(*exchange_, is_head_);
  phase_ = Phase::asking;
  written_ = 0;
  write();
}

void ClientConnection::write() {
  written_ += socket_.write(std::string_view(*wire_).substr(written_));
}

// What is left after many reads waits until the socket is writable, which is at once: what TLS
// holds gives no event.
void ClientConnection::read() {
  char bytes[16 * 1024];
  for (int reads = 0; reads < kMostReadsAtOnce; ++reads) {
    const ssize_t got = socket_.read(bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const std::int64_t received_us = now_us();
    if (got <= 0) return ended(got, received_us);
    const std::string_view some(bytes, static_cast<std::size_t>(got));
    const std::size_t taken = reader_.take(some, client_.sockets_.settings());
    if (!reader_.problem().empty())
      return lose("the reply is not valid HTTP: " + reader_.problem());
    if (reader_.done()) return replied(received_us, taken == some.size());
  }
  socket_.wait_writable();
}

// `whole`: nothing came after the response, to which there was no request.
void ClientConnection::replied(std::int64_t received_us, bool whole) {
  exchange_->received_us = answered_us_ = received_us;
  exchange_->state = HttpExchange::State::replied;
  phase_ = Phase::idle;
  reused_ = true;
  if (!whole || !reader_.keeps_alive() || !is_written() || (socket_.has_pending() && !is_alive()))
    close();
  client_.hand_out(*this);
}

void ClientConnection::ended(ssize_t got, std::int64_t received_us) {
  const int os_error = errno;
  if (got == 0) reader_.end_stream();
  if (reader_.done()) return replied(received_us, false);
  if (reused_ && !reader_.begun() && socket_.was_closed_before()) {
    close();
    reused_ = false;
    exchange_->sent_us = 0;
    return open() ? void() : client_.hand_out(*this);
  }
  std::string problem = socket_.end_words(got, os_error);
  if (problem.empty())
    problem = reader_.begun() ? "the reply was cut short"
                              : "the server closed the connection without a reply";
  lose(std::move(problem));
}

// Before the request was sent.
void ClientConnection::fail(std::string problem) {
  exchange_->problem = std::move(problem);
  exchange_->state = HttpExchange::State::not_sent;
  close();
}

void ClientConnection::lose(std::string problem) {
  exchange_->problem = std::move(problem);
  exchange_->state = HttpExchange::State::lost;
  reader_.give_up();
  close();
  client_.hand_out(*this);
}

void ClientConnection::give_up(const std::string& within) {
  if (exchange_->sent_us != 0) return lose("no reply" + within);
  fail("no connection" + within);
  client_.hand_out(*this);
}

void ClientConnection::close() {
  socket_.close();
  phase_ = Phase::closed;
}

void ClientConnection::on_readable() {
  // A write of TLS may have waited for what can be read now.
  if (phase_ == Phase::asking && socket_.has_tls() && !is_written()) write();
  if (phase_ == Phase::asking) return read();
  // Between two requests a server only hangs up, or renews the keys of TLS.
  if (phase_ == Phase::idle && !is_alive()) client_.drop(*this);
}

void ClientConnection::on_writable() {
  if (phase_ != Phase::asking) return;
  if (!is_written()) write();
  read();
}

}  // namespace rlctl
