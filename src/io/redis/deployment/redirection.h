// What an error of a cluster node says about where a command belongs. Pure, any thread.
//
// Source: Redis Cluster specification, "MOVED Redirection", "ASK redirection", and
// "Multiple keys operations".
#pragma once

#include <cstdint>
#include <string>

#include "io/redis/deployment/cluster_map.h"
#include "io/redis/reply.h"

namespace rlctl {

struct Redirection {
  enum class Kind : std::uint8_t {
    none,   // another error, or an answer
    moved,  // the slot is served by `node` from now on
    ask,    // only this command, after ASKING: the slot is moving to `node`
    later,  // TRYAGAIN, CLUSTERDOWN, MASTERDOWN, LOADING: the same again after a moment
  };
  Kind kind = Kind::none;
  NodeAddress node;
};

// `here`: the host of the node that answered. A redirection that can't be read is none.
Redirection redirection_in(const Reply& reply, const std::string& here);

}  // namespace rlctl
