// RedisClient: a Redis that stays connected by itself: a single server, the master that Sentinels
// name, or a cluster. Who uses it does not know which; deployment.h makes them.
//
// A command that is sent while the server is away becomes not_sent at once; nothing is queued, and
// nothing that may have run is repeated. One thread.
#pragma once

#include <functional>
#include <string>

#include "io/redis/redis.h"

namespace rlctl {

class RedisClient : public Redis {
 public:
  // Called with a message when the connection is lost, when reconnecting fails, and when it is
  // back.
  using Notice = std::function<void(const std::string& words)>;

  // Connects for the first time; throws Error(Exit::target) if that fails, and may then be called
  // again. After that it reconnects by itself.
  virtual Task<> connect() = 0;

  // True if every server that it needs is connected.
  virtual bool is_open() const = 0;

  // Asks whether the server is still the one that was used from the beginning, for unseen().
  virtual Task<> look_back() { co_return; }

  // What a search of all keys (SCAN) could not see, in words: "" if it was complete.
  virtual std::string unseen() const { return {}; }
};

}  // namespace rlctl
