#include "io/redis/deployment/replica.h"

#include "base/escape.h"
#include "io/redis/command.h"
#include "io/redis/endpoint.h"
#include "io/redis/server_info.h"

namespace rlctl {

namespace {

// ["slave", host, port, link, offset]
std::optional<Replica> replica_of_role(const std::vector<Reply>& role) {
  if (role.size() < 4 || role[0].text != "slave") return std::nullopt;
  const NodeAddress master{role[1].text, static_cast<std::uint16_t>(role[2].integer)};
  return Replica{escape_for_terminal(master.text()), role[3].text == "connected",
                 escape_for_terminal(role[3].text)};
}

std::optional<Replica> replica_of_info(const std::string& info) {
  if (info_field(info, "role") != "slave") return std::nullopt;
  const std::string link = info_field(info, "master_link_status");
  return Replica{
      escape_for_terminal(info_field(info, "master_host") + ":" + info_field(info, "master_port")),
      link == "up", escape_for_terminal(link)};
}

std::optional<Replica> replica_of_hello(const Reply& hello) {
  if (hello_field(hello, "role") != "replica") return std::nullopt;
  return Replica{{}, false, "this user may send neither ROLE nor INFO, which tell"};
}

}  // namespace

std::string Replica::whose() const {
  return master.empty() ? "a replica" : "a replica of " + master;
}

std::string Replica::remark() const {
  return "this is " + whose() +
         ": what it has may be older, so uses and blocks may differ from those of its master";
}

std::string Replica::unseen() const {
  if (in_step) return {};
  if (master.empty())
    return "what the master has: this is a replica, and perhaps not in step (" + link + ")";
  return "what the master " + master + " has: this is its replica, and is not in step with it (" +
         link + ")";
}

Task<std::optional<Replica>> read_replica(Redis& redis) {
  const Exchange role = co_await redis.send(encode_command("ROLE"));
  if (role.has_answer()) co_return replica_of_role(role.reply.elements);
  const Exchange info = co_await redis.send(encode_command("INFO", "replication"));
  if (info.has_answer()) co_return replica_of_info(info.reply.text);
  const Exchange hello = co_await redis.send(encode_command("HELLO"));
  co_return replica_of_hello(hello.reply);
}

}  // namespace rlctl
