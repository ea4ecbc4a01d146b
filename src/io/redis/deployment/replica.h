// What a single server says of its master, if it is a replica. Whoever reads from it should know:
// what the master has may be missing. Throws nothing: a server that may not be asked (ACL), or does
// not answer, is taken for a master. One thread.
#pragma once

#include <optional>
#include <string>

#include "io/redis/redis.h"

namespace rlctl {

struct Replica {
  std::string master;  // host:port, escaped
  bool in_step = false;
  std::string link;  // in ROLE's words: "connect", "sync" or "connected"; escaped

  // What it is and what that means, in words.
  std::string remark() const;
  // What cannot be seen on it, in words: "" if it is in step.
  std::string unseen() const;
};

// ROLE. Empty: a master.
Task<std::optional<Replica>> read_replica(Redis& redis);

}  // namespace rlctl
