#include "io/http/client_connection.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/address_scope.h"
#include "io/clock.h"
#include "io/descriptor.h"

namespace rlctl {
namespace {

constexpr int kMostReadsAtOnce = 16;  // then other connections get a turn

std::string error_words(int os_error) { return std::generic_category().message(os_error); }

std::string unreachable(int os_error) {
  return os_error == ECONNREFUSED ? "connection refused"
                                  : "no connection: " + error_words(os_error);
}

std::string tls_words(const TlsSession& tls) {
  const TlsProblem problem = tls.problem().value_or(hung_up_in_handshake());
  return (problem.untrusted ? "the server's certificate is not trusted: " : "") + problem.what;
}

}  // namespace

ClientConnection::ClientConnection(OwnClient& client, std::shared_ptr<const HttpPlace> goes_to)
    : client_(client), goes_to_(std::move(goes_to)) {}

ClientConnection::~ClientConnection() { close(); }

bool ClientConnection::begin(HttpExchange& exchange, const RenderedRequest& request,
                             std::int64_t now_us) {
  exchange_ = &exchange;
  is_head_ = request.is_head();
  wire_ = request.wire();
  begun_us_ = now_us;
  return phase_ == Phase::idle ? ask(begun_us_) : connect();
}

// False: no address can be reached, and the exchange has ended.
bool ClientConnection::connect() {
  const std::vector<HostAddress> addresses = client_.addresses_of(*goes_to_);
  if (addresses.empty()) problem_ = "no address for " + goes_to_->host;
  while (addresses_tried_ < addresses.size())
    if (try_address(addresses[addresses_tried_++])) return true;
  return fail(std::move(problem_));
}

bool ClientConnection::try_address(const HostAddress& address) {
  const SocketAddress to =
      socket_address(address, parse_whole<std::uint16_t>(goes_to_->port).value_or(0));
  const auto& may_connect = client_.settings_.may_connect;
  if (may_connect && !may_connect(to.get())) {
    problem_ = "the host name now resolves to an address that may not be tested";
    return false;
  }
  Descriptor socket(::socket(to.get().sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) {
    problem_ = unreachable(errno);
    return false;
  }
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!bind_source(socket.get())) {
    problem_ = "the source address is not usable: " + error_words(errno);
    return false;
  }
  if (::connect(socket.get(), &to.get(), to.size) != 0 && errno != EINPROGRESS) {
    problem_ = unreachable(errno);
    return false;
  }
  socket_ = socket.release();
  phase_ = Phase::connecting;
  wait_writable();
  return true;
}

bool ClientConnection::bind_source(int socket) const {
  if (goes_to_->source_ip.empty()) return true;
  const auto source = parse_host_address(goes_to_->source_ip);
  errno = EINVAL;
  if (!source) return false;
  // The kernel chooses the port when it knows both ends: more connections than ports.
  const int on = 1;
  setsockopt(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  const SocketAddress from = socket_address(*source, 0);
  return bind(socket, &from.get(), from.size) == 0;
}

// False: the exchange has ended.
bool ClientConnection::connected() {
  const int problem = pending_error(socket_);
  free_event(write_event_);
  if (problem != 0) {
    close();
    problem_ = unreachable(problem);
    return connect();
  }
  auto readable = [](evutil_socket_t, short, void* self) {
    static_cast<ClientConnection*>(self)->on_readable();
  };
  read_event_ = event_new(client_.loop_.base(), socket_, EV_READ | EV_PERSIST, readable, this);
  if (read_event_ == nullptr) throw std::bad_alloc();
  event_add(read_event_, nullptr);
  if (!goes_to_->tls) return ask(now_us());
  phase_ = Phase::agreeing;
  try {
    const std::string name = goes_to_->host + ":" + goes_to_->port;
    const TlsServer server{name, goes_to_->host, client_.settings_.timeout_us};
    tls_ = std::make_unique<TlsSession>(client_.tls(), server, socket_);
  } catch (const Error& error) {
    return fail(error.what());
  }
  return agree();
}

// False: the exchange has ended.
bool ClientConnection::agree() {
  const ssize_t result = tls_->agree();
  if (result > 0) return ask(now_us());
  if (result == 0 || errno != EAGAIN) return fail(tls_words(*tls_));
  if (tls_->wants_write()) wait_writable();
  return true;
}

// Always true: how it ends is always told later.
bool ClientConnection::ask(std::int64_t sent_us) {
  exchange_->sent_us = sent_us;
  reader_.begin(*exchange_, is_head_);
  phase_ = Phase::asking;
  written_ = 0;
  write();
  return true;
}

// If it fails for good, the connection's end comes as a read event, perhaps after an answer.
void ClientConnection::write() {
  const std::string_view rest = std::string_view(wire_).substr(written_);
  const ssize_t done = tls_ ? tls_->write(rest.data(), rest.size())
                            : ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
  if (done > 0) written_ += static_cast<std::size_t>(done);
  if (written_ == wire_.size() || (done < 0 && errno != EAGAIN && errno != EINTR)) return;
  if (!tls_ || done > 0 || tls_->wants_write()) wait_writable();
}

bool ClientConnection::is_alive() {
  char byte;
  return read_some(&byte, 1) < 0 && errno == EAGAIN;
}

ssize_t ClientConnection::read_some(char* bytes, std::size_t size) {
  return tls_ ? tls_->read(bytes, size) : ::recv(socket_, bytes, size, 0);
}

// A TLS session may hold more than one read returns, and no event tells of that: what is left after
// many reads waits until the socket is writable, which is at once.
void ClientConnection::read() {
  char bytes[16 * 1024];
  for (int reads = 0; reads < kMostReadsAtOnce; ++reads) {
    const ssize_t got = read_some(bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (tls_ && tls_->wants_write()) wait_writable();
      return;
    }
    const std::int64_t received_us = now_us();
    if (got <= 0) return ended(got, received_us);
    const std::string_view some(bytes, static_cast<std::size_t>(got));
    const std::size_t taken = reader_.take(some, client_.settings_);
    if (!reader_.problem().empty())
      return lose("the reply is not valid HTTP: " + reader_.problem());
    if (reader_.done()) return replied(received_us, taken == some.size());
    if (!tls_ || !tls_->has_pending()) return;
  }
  wait_writable();
}

// `whole`: nothing came after the response, to which there was no request.
void ClientConnection::replied(std::int64_t received_us, bool whole) {
  exchange_->received_us = answered_us_ = received_us;
  exchange_->state = HttpExchange::State::replied;
  phase_ = Phase::idle;
  reused_ = true;
  if (!whole || !reader_.keeps_alive() || written_ < wire_.size() || (tls_ && tls_->has_pending()))
    close();
  client_.hand_out(*this);
}

void ClientConnection::ended(ssize_t got, std::int64_t received_us) {
  const int os_error = errno;
  if (got == 0) reader_.end_stream();
  if (reader_.done()) return replied(received_us, false);
  if (was_closed_before()) return ask_again() ? void() : client_.hand_out(*this);
  if (tls_ && tls_->problem()) return lose(tls_words(*tls_));
  if (got < 0 && os_error == ECONNRESET) return lose("the server reset the connection");
  if (got < 0 && !tls_) return lose("the connection broke: " + error_words(os_error));
  lose(reader_.begun() ? "the reply was cut short"
                       : "the server closed the connection without a reply");
}

// The server's end of the connection came first, and then a reset as the answer to the request: its
// socket was closed when the request arrived.
bool ClientConnection::was_closed_before() const {
  return reused_ && !reader_.begun() && pending_error(socket_) == EPIPE;
}

// False: the exchange has ended.
bool ClientConnection::ask_again() {
  close();
  reused_ = false;
  addresses_tried_ = 0;
  exchange_->sent_us = 0;
  return connect();
}

// Before the request was sent. Always false.
bool ClientConnection::fail(std::string problem) {
  exchange_->problem = std::move(problem);
  exchange_->state = HttpExchange::State::not_sent;
  close();
  return false;
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
  free_event(read_event_);
  free_event(write_event_);
  if (tls_) tls_->shut_down();
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  phase_ = Phase::closed;
}

void ClientConnection::on_readable() {
  // A write of TLS may have waited for what can be read now.
  if (phase_ == Phase::asking && tls_ && written_ < wire_.size()) write();
  if (phase_ == Phase::asking) return read();
  if (phase_ == Phase::agreeing && !agree()) return client_.hand_out(*this);
  // Between two requests a server only hangs up, or renews the keys of TLS.
  if (phase_ == Phase::idle && !is_alive()) client_.drop(*this);
}

void ClientConnection::on_writable() {
  if (phase_ == Phase::connecting && !connected()) return client_.hand_out(*this);
  if (phase_ == Phase::agreeing && !agree()) return client_.hand_out(*this);
  if (phase_ != Phase::asking) return;
  if (written_ < wire_.size()) write();
  if (tls_) read();
}

void ClientConnection::wait_writable() {
  auto writable = [](evutil_socket_t, short, void* self) {
    static_cast<ClientConnection*>(self)->on_writable();
  };
  if (write_event_ == nullptr)
    write_event_ = event_new(client_.loop_.base(), socket_, EV_WRITE, writable, this);
  if (write_event_ == nullptr) throw std::bad_alloc();
  event_add(write_event_, nullptr);
}

}  // namespace rlctl
