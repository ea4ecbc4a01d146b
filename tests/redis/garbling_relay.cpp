#include "redis/garbling_relay.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace rlctl::test {
namespace {

int connected_to(const Endpoint& server) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, server.unix_path.c_str(), sizeof address.sun_path - 1);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("the relay can't reach its server");
  return descriptor;
}

}  // namespace

GarblingRelay::GarblingRelay(const Endpoint& server)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), server_(connected_to(server)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, place, size) != 0 || listen(listener_, 1) != 0 ||
      getsockname(listener_, place, &size) != 0 || pipe(stop_) != 0)
    throw std::runtime_error("the relay can't listen");
  endpoint_.port = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

GarblingRelay::~GarblingRelay() {
  close(stop_[1]);
  thread_.join();
  for (const int descriptor : {listener_, server_, stop_[0]}) close(descriptor);
}

Endpoint GarblingRelay::endpoint() const { return endpoint_; }

void GarblingRelay::serve() {
  int client = -1;
  for (char bytes[16 * 1024];;) {
    pollfd waiting[] = {
        {stop_[0], POLLIN, 0}, {client < 0 ? listener_ : client, POLLIN, 0}, {server_, POLLIN, 0}};
    if (poll(waiting, 3, -1) < 0 || waiting[0].revents != 0) break;
    if (client < 0 && waiting[1].revents != 0) {
      client = accept(listener_, nullptr, nullptr);
      continue;
    }
    const bool answers = waiting[2].revents != 0;
    if (!answers && waiting[1].revents == 0) continue;
    const ssize_t got = recv(answers ? server_ : client, bytes, sizeof bytes, 0);
    if (got <= 0) break;
    if (const char first = spoiled_; answers && first != 0) bytes[0] = first;
    if (send(answers ? client : server_, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL) <= 0)
      break;
  }
  if (client >= 0) close(client);
}

}  // namespace rlctl::test
