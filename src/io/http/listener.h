// Listener: a TCP socket that accepts connections and passes each to a function. Borrows the loop,
// owns the socket. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/host_address.h"
#include "io/loop.h"

struct event;

namespace rlctl {

struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:0"; Error(Exit::usage).
ListenAddress parse_listen_address(std::string_view text, std::string_view field);

class Listener {
 public:
  // The function owns the connected, non-blocking descriptor.
  using Accept = std::function<void(int descriptor, const HostAddress& peer)>;

  // Listens at once, or throws Error(Exit::target) with the reason. Connections are accepted while
  // the loop runs.
  Listener(Loop& loop, const ListenAddress& address, Accept accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;  // "http://127.0.0.1:8080"

  // While paused, new connections wait in the kernel, up to its backlog.
  void pause();
  void resume();

 private:
  void on_readable();

  Accept accept_;
  int socket_ = -1;
  event* event_ = nullptr;
  std::string host_;
  std::uint16_t port_ = 0;
};

}  // namespace rlctl
