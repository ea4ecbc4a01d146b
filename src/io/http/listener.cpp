#include "io/http/listener.h"

#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <new>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/address_scope.h"

namespace rlctl {
namespace {

// Thousands may connect within one pass of the loop; the kernel limits the value
// (net.core.somaxconn).
constexpr int kBacklog = 4096;
constexpr int kMostPerPass = 256;  // then existing connections get a turn

[[noreturn]] void reject(std::string_view text, std::string_view field) {
  throw Error(Exit::usage, std::string(field) + ": " + in_quotes(text) + " is not an address",
              "write HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080; port 0 is any free port");
}

[[noreturn]] void refuse(const ListenAddress& address, int problem) {
  std::string hint = "choose another address with --listen";
  if (problem == EADDRINUSE) hint = "another process listens there: choose another port, or 0";
  if (problem == EACCES) hint = "ports below 1024 need root rights: choose a higher one";
  if (problem == EADDRNOTAVAIL) hint = "this machine does not have that address";
  throw Error(Exit::target,
              "can't listen on " + escape_for_terminal(address.host) + ":" +
                  std::to_string(address.port) + ": " + strerror(problem),
              hint);
}

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

AddressList resolve(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int problem =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (problem != 0)
    throw Error(Exit::target,
                "can't find " + in_quotes(address.host) + " to listen on: " + gai_strerror(problem),
                "check the host in --listen");
  return {found, freeaddrinfo};
}

// A listening socket, or -errno.
int listen_at(const addrinfo& at) {
  const int opened = socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (opened < 0) return -errno;
  const int on = 1;
  setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // connections inherit it
  if (bind(opened, at.ai_addr, at.ai_addrlen) == 0 && listen(opened, kBacklog) == 0) return opened;
  const int problem = errno;
  ::close(opened);
  return -problem;
}

std::uint16_t port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

}  // namespace

ListenAddress parse_listen_address(std::string_view text, std::string_view field) {
  const auto colon = text.rfind(':');
  if (colon == text.npos || colon == 0) reject(text, field);
  std::string_view host = text.substr(0, colon);
  ListenAddress address;
  const auto port = parse_whole<std::uint16_t>(text.substr(colon + 1));
  if (!port) reject(text, field);
  address.port = *port;
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || (!bracketed && host.find(':') != host.npos)) reject(text, field);
  address.host = host;
  return address;
}

Listener::Listener(Loop& loop, const ListenAddress& address, Accept accept)
    : accept_(std::move(accept)), host_(address.host) {
  const AddressList addresses = resolve(address);
  int result = -EADDRNOTAVAIL;
  for (const addrinfo* at = addresses.get(); at != nullptr && result < 0; at = at->ai_next)
    result = listen_at(*at);
  if (result < 0) refuse(address, -result);
  socket_ = result;
  port_ = port_of(socket_);
  auto readable = [](evutil_socket_t, short, void* self) {
    static_cast<Listener*>(self)->on_readable();
  };
  event_ = event_new(loop.base(), socket_, EV_READ | EV_PERSIST, readable, this);
  if (event_ == nullptr) throw std::bad_alloc();
  event_add(event_, nullptr);
}

Listener::~Listener() {
  if (event_ != nullptr) event_free(event_);
  ::close(socket_);
}

std::string Listener::url() const {
  const bool bare = host_.find(':') == std::string::npos;
  return "http://" + (bare ? host_ : "[" + host_ + "]") + ":" + std::to_string(port_);
}

void Listener::pause() { event_del(event_); }
void Listener::resume() { event_add(event_, nullptr); }

void Listener::on_readable() {
  for (int i = 0; i < kMostPerPass && event_pending(event_, EV_READ, nullptr) != 0; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const int descriptor =
        accept4(socket_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    // No descriptors are left. Without a pause this event would repeat at once, for ever.
    if (descriptor < 0 && errno != EAGAIN) pause();
    if (descriptor < 0) return;
    accept_(descriptor, host_address_of(reinterpret_cast<sockaddr&>(from)).value_or(HostAddress{}));
  }
}

}  // namespace rlctl
