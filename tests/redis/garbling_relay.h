// A relay on 127.0.0.1 in front of a real Redis, which can spoil the answers on their way back. For
// one client; it ends with the test. std::runtime_error if it can't listen or reach the server.
#pragma once

#include <atomic>
#include <thread>

#include "io/redis/endpoint.h"

namespace rlctl::test {

class GarblingRelay {
 public:
  // `server`: on a unix socket.
  explicit GarblingRelay(const Endpoint& server);
  ~GarblingRelay();
  GarblingRelay(const GarblingRelay&) = delete;
  GarblingRelay& operator=(const GarblingRelay&) = delete;

  Endpoint endpoint() const;
  // From now on each answer begins with this byte.
  void spoil(char first) { spoiled_ = first; }

 private:
  void serve();

  int listener_ = -1;
  int server_ = -1;
  int stop_[2] = {-1, -1};
  Endpoint endpoint_;
  std::atomic<char> spoiled_ = 0;
  std::thread thread_;
};

}  // namespace rlctl::test
