#include "io/http/client_socket.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/address_scope.h"
#include "io/tls/tls_client.h"

namespace rlctl {
namespace {

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

const std::shared_ptr<TlsClient>& ClientSockets::tls() {
  if (!tls_) tls_ = settings_.tls_client;
  if (!tls_) tls_ = std::make_shared<TlsClient>(settings_.tls);
  return tls_;
}

std::vector<HostAddress> ClientSockets::addresses_of(const HttpPlace& place) const {
  if (const auto literal = parse_host_address(place.host)) return {*literal};
  if (place.host == settings_.host) return settings_.addresses;
  return {};
}

ClientSocket::ClientSocket(ClientSockets& sockets, std::shared_ptr<const HttpPlace> goes_to,
                           Owner& owner, std::string_view alpn)
    : sockets_(sockets), goes_to_(std::move(goes_to)), owner_(owner), alpn_(alpn) {}

std::string ClientSocket::open() {
  addresses_tried_ = 0;
  return try_next();
}

std::string ClientSocket::try_next() {
  const std::vector<HostAddress> addresses = sockets_.addresses_of(*goes_to_);
  if (addresses.empty()) problem_ = "no address for " + goes_to_->host;
  while (addresses_tried_ < addresses.size())
    if (try_address(addresses[addresses_tried_++])) return {};
  return std::move(problem_);
}

bool ClientSocket::try_address(const HostAddress& address) {
  const SocketAddress to =
      socket_address(address, parse_whole<std::uint16_t>(goes_to_->port).value_or(0));
  const auto& may_connect = sockets_.settings().may_connect;
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

bool ClientSocket::bind_source(int socket) const {
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

void ClientSocket::connected() {
  const int problem = pending_error(socket_);
  free_event(write_event_);
  if (problem != 0) {
    close();
    problem_ = unreachable(problem);
    std::string last = try_next();
    if (!last.empty()) owner_.on_not_open(std::move(last));
    return;
  }
  watch();
  if (!goes_to_->tls) {
    phase_ = Phase::open;
    return owner_.on_open();
  }
  phase_ = Phase::agreeing;
  try {
    const std::string name = goes_to_->host + ":" + goes_to_->port;
    const TlsServer server{name, goes_to_->host, sockets_.settings().timeout_us, alpn_};
    tls_ = std::make_unique<TlsSession>(sockets_.tls(), server, socket_);
  } catch (const Error& error) {
    return owner_.on_not_open(error.what());
  }
  agree();
}

event* ClientSocket::watch_for(short what, void (*told)(int, short, void*)) {
  return socket_event(sockets_.loop(), socket_, what, goes_to_->tls, told, this);
}

void ClientSocket::watch() {
  filled_ = hung_up_ = false;
  auto readable = [](evutil_socket_t, short what, void* self) {
    static_cast<ClientSocket*>(self)->on_ready_to_read((what & EV_CLOSED) != 0);
  };
  read_event_ = watch_for(EV_READ | EV_CLOSED | EV_PERSIST, readable);
  event_add(read_event_, nullptr);
}

void ClientSocket::agree() {
  const ssize_t result = tls_->agree();
  if (result > 0) {
    phase_ = Phase::open;
    return owner_.on_open();
  }
  if (result == 0 || errno != EAGAIN) return owner_.on_not_open(tls_words(*tls_));
  if (tls_->wants_write()) wait_writable();
}

ssize_t ClientSocket::read(char* bytes, std::size_t size) {
  if (!tls_) {
    const ssize_t got = ::recv(socket_, bytes, size, 0);
    filled_ = got > 0 && static_cast<std::size_t>(got) == size;
    return got;
  }
  const ssize_t got = tls_->read(bytes, size);
  const int os_error = errno;
  if (got < 0 && tls_->wants_write()) wait_writable();
  errno = os_error;
  return got;
}

std::size_t ClientSocket::write(std::string_view bytes) {
  const ssize_t got = tls_ ? tls_->write(bytes.data(), bytes.size())
                           : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  const auto done = static_cast<std::size_t>(got > 0 ? got : 0);
  if (done == bytes.size()) return done;
  if (got < 0 && errno != EAGAIN && errno != EINTR) {
    event_active(read_event_, EV_READ, 0);  // its own event may have come with the last answer
    return done;
  }
  if (!tls_ || got > 0 || tls_->wants_write()) wait_writable();
  return done;
}

bool ClientSocket::is_quiet() {
  char byte;
  return read(&byte, 1) < 0 && errno == EAGAIN;
}

bool ClientSocket::was_closed_before() const { return pending_error(socket_) == EPIPE; }

std::string ClientSocket::end_words(ssize_t got, int os_error) const {
  if (tls_ && tls_->problem()) return tls_words(*tls_);
  if (got < 0 && os_error == ECONNRESET) return "the server reset the connection";
  if (got < 0 && !tls_) return "the connection broke: " + error_words(os_error);
  return {};
}

void ClientSocket::close() {
  free_event(read_event_);
  free_event(write_event_);
  if (tls_) tls_->shut_down();
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  phase_ = Phase::closed;
}

void ClientSocket::on_ready_to_read(bool hung_up) {
  hung_up_ = hung_up_ || hung_up;
  if (phase_ == Phase::agreeing) return agree();
  if (phase_ == Phase::open) owner_.on_readable();
}

void ClientSocket::on_ready_to_write() {
  if (phase_ == Phase::connecting) return connected();
  if (phase_ == Phase::agreeing) return agree();
  if (phase_ == Phase::open) owner_.on_writable();
}

void ClientSocket::wait_writable() {
  auto writable = [](evutil_socket_t, short, void* self) {
    static_cast<ClientSocket*>(self)->on_ready_to_write();
  };
  if (write_event_ == nullptr) write_event_ = watch_for(EV_WRITE, writable);
  event_add(write_event_, nullptr);
}

}  // namespace rlctl
