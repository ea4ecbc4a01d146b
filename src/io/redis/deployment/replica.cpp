#include "io/redis/deployment/replica.h"

#include "base/escape.h"
#include "io/redis/command.h"
#include "io/redis/endpoint.h"

namespace rlctl {

std::string Replica::remark() const {
  return "this is a replica of " + master +
         ": what it has may be older, so uses and blocks may differ from those of its master";
}

std::string Replica::unseen() const {
  if (in_step) return {};
  return "what the master " + master + " has: this is its replica, and is not in step with it (" +
         link + ")";
}

// ["slave", host, port, link, offset]
Task<std::optional<Replica>> read_replica(Redis& redis) {
  const Exchange exchange = co_await redis.send(encode_command("ROLE"));
  const std::vector<Reply>& role = exchange.reply.elements;
  if (!exchange.has_answer() || role.size() < 4 || role[0].text != "slave") co_return std::nullopt;
  const NodeAddress master{role[1].text, static_cast<std::uint16_t>(role[2].integer)};
  co_return Replica{escape_for_terminal(master.text()), role[3].text == "connected",
                    escape_for_terminal(role[3].text)};
}

}  // namespace rlctl
