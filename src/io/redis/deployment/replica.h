// What a single server says of its master, if it is a replica. Whoever reads from it should know:
// what the master has may be missing. Throws nothing: a server that does not answer, or to which
// this user may send neither ROLE nor INFO nor HELLO, is taken for a master. One thread.
#pragma once

#include <optional>
#include <string>

#include "io/redis/redis.h"

namespace rlctl {

struct Replica {
  std::string master;  // host:port, escaped; empty: this user may not ask
  bool in_step = false;
  std::string link;  // "connect", "sync" or "connected" of ROLE, "up" or "down" of INFO; escaped

  // "a replica of 10.0.0.1:6379".
  std::string whose() const;
  // What it is and what that means, in words.
  std::string remark() const;
  // What cannot be seen on it, in words: "" if it is in step.
  std::string unseen() const;
};

// Empty: a master.
Task<std::optional<Replica>> read_replica(Redis& redis);

}  // namespace rlctl
