// Proxy: a TCP proxy that makes the way to servers bad on purpose: slow, cut, or silent. Each
// server has a free port of 127.0.0.1, from the first connection to it. It forwards bytes in their
// order and does not look at them.
//
// Nothing limits what waits in it: for protocols in which a client waits for answers. Borrows the
// loop, owns its sockets; one thread. Error(Exit::target) if it can't listen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "io/http/listener.h"
#include "io/loop.h"
#include "io/redis/endpoint.h"

namespace rlctl {

class Proxy final : public Detour {
 public:
  Proxy(Loop& loop, std::uint64_t seed);
  ~Proxy() override;
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  Endpoint entrance(const Endpoint& endpoint) override;

  // From now on a round trip takes this much longer, and at random up to `jitter_us` more.
  void set_delay(std::int64_t delay_us, std::int64_t jitter_us);
  // Resets all connections (RST).
  void cut();
  // While it refuses, new connections are reset at once.
  void set_refusing(bool refusing) { refusing_ = refusing; }
  // Half-open: connections stay and new ones are accepted, but what comes is swallowed. At the end
  // they are reset: what they lack would be taken for answers.
  void set_deaf(bool deaf);

 private:
  class Pair;

  void accept(const Endpoint& upstream, int descriptor);
  void bury();
  std::int64_t due_us();

  Loop& loop_;
  Random random_;
  std::int64_t delay_us_ = 0;
  std::int64_t jitter_us_ = 0;
  bool refusing_ = false;
  bool deaf_ = false;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::map<std::string, std::unique_ptr<Listener>> entrances_;  // by the name of their server
};

}  // namespace rlctl
