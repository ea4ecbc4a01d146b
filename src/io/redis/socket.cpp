#include "io/redis/socket.h"

#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "io/clock.h"
#include "io/descriptor.h"
#include "io/loop.h"

namespace rlctl {
namespace {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

Address unix_address(const std::string& path) {
  Address address;
  auto* un = reinterpret_cast<sockaddr_un*>(&address.bytes);
  un->sun_family = AF_UNIX;
  memcpy(un->sun_path, path.data(), path.size());
  address.size = sizeof(sockaddr_un);
  return address;
}

std::vector<Address> resolve(const Endpoint& endpoint) {
  if (!endpoint.unix_path.empty()) return {unix_address(endpoint.unix_path)};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (problem != 0)
    throw Error(Exit::target,
                "can't find the host of " + endpoint.name() + ": " + gai_strerror(problem),
                "check the host name in --redis");
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Address address;
    memcpy(&address.bytes, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    addresses.push_back(address);
  }
  return addresses;
}

// Returns the descriptor, or -errno.
Task<int> try_address(Loop& loop, Address address, std::int64_t deadline_us) {
  const int family = reinterpret_cast<const sockaddr*>(&address.bytes)->sa_family;
  Descriptor descriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (descriptor.get() < 0) co_return -errno;
  if (family != AF_UNIX) {
    const int on = 1;
    setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  while (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address.bytes),
                   address.size) != 0) {
    if (errno == EINPROGRESS) {
      if (!co_await Ready(loop, descriptor.get(), EV_WRITE, deadline_us)) co_return -ETIMEDOUT;
      if (const int problem = pending_error(descriptor.get()); problem != 0) co_return -problem;
      break;
    }
    // For a unix socket with a full queue, connect() returns EAGAIN at once instead of waiting.
    if (errno != EAGAIN || now_us() >= deadline_us) co_return -errno;
    co_await loop.until(now_us() + 1'000);
  }
  co_return descriptor.release();
}

[[noreturn]] void refuse(const Endpoint& endpoint, int problem) {
  std::string hint = "is Redis running there? check the address, or give another with --redis URL";
  if (problem == ENOENT) hint = "there is no such socket; check `unixsocket` in redis.conf";
  if (problem == EACCES) hint = "this user may not open the socket; check its file mode";
  if (problem == ETIMEDOUT)
    hint = "no answer within " + format_duration(endpoint.timeout_us) +
           ": check the address, firewalls, or use a longer --timeout";
  if (problem == EMFILE) hint = "too many open files: raise `ulimit -n` or use fewer connections";
  throw Error(Exit::target, "can't connect to " + endpoint.name() + ": " + strerror(problem), hint);
}

}  // namespace

Task<int> open_socket(Loop& loop, Endpoint endpoint) {
  const std::int64_t deadline_us = now_us() + endpoint.timeout_us;
  int result = -ETIMEDOUT;
  for (const Address& address : resolve(endpoint)) {
    result = co_await try_address(loop, address, deadline_us);
    if (result >= 0) co_return result;
  }
  refuse(endpoint, -result);
}

}  // namespace rlctl
