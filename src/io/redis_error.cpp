#include "io/redis_error.h"

#include <array>
#include <string>

#include "core/error.h"
#include "core/escape.h"

namespace rlctl {
namespace {

struct Advice {
  std::string_view prefix;  // of the error's text
  std::string_view hint;
  bool before_running;
};

// Longer prefixes first where one contains another.
constexpr std::array kAdvice{
    Advice{"NOAUTH",
           "this Redis wants a password: REDISCLI_AUTH, --pass-file, or redis://user:pass@host",
           true},
    Advice{"WRONGPASS", "user or password is wrong: check REDISCLI_AUTH, --pass-file or the URL",
           true},
    Advice{"ERR AUTH <password> called without", "this Redis has no password set; leave it out",
           true},
    Advice{"ERR invalid password",
           "the password is wrong: check REDISCLI_AUTH, --pass-file or the URL", true},
    Advice{"ERR Client sent AUTH", "this Redis has no password set; leave it out", true},
    Advice{"NOPERM", "this user may not do that: see ACL WHOAMI and ACL GETUSER", true},
    Advice{"ERR DB index", "this database does not exist here; see `databases` in redis.conf",
           true},
    Advice{"ERR invalid DB index",
           "this database does not exist here; see `databases` in redis.conf", true},
    Advice{"ERR max number of clients",
           "raise `maxclients` on the server or use fewer --connections", true},
    Advice{"LOADING", "Redis is still reading its data from disk; try again in a moment", true},
    Advice{"BUSY", "another script is blocking this Redis; see SCRIPT KILL (rlctl never does that)",
           true},
    Advice{"MASTERDOWN", "this replica lost its master; speak to the master", true},
    Advice{"READONLY", "this is a replica; limiters write, so speak to its master", true},
    Advice{"OOM", "Redis is at `maxmemory`: writes are refused, `rlctl reset` still works", true},
    Advice{"MISCONF", "Redis can't save to disk and therefore refuses writes; see its log", true},
    Advice{"NOREPLICAS", "too few replicas are attached (`min-replicas-to-write`)", true},
    Advice{"CLUSTERDOWN", "the cluster is not complete; see CLUSTER INFO", true},
    Advice{"MOVED", "this is a node of a cluster, and the key lives on another: speak to that node",
           true},
    Advice{"ASK", "this key is moving between nodes of a cluster; try again later", true},
    Advice{"TRYAGAIN", "these keys are moving between nodes of a cluster; try again later", true},
    Advice{"CROSSSLOT", "in a cluster all keys of a script need one {hash tag}", true},
    Advice{"NOSCRIPT", "the script is not loaded: rlctl load", true},
    Advice{"WRONGTYPE", "a key holds another type than this needs: look with `rlctl inspect KEY`",
           false},
    Advice{"ERR unknown command", "this server lacks that command: is it an old Redis, or renamed?",
           true},
};

const Advice* advice_for(std::string_view text) {
  for (const Advice& advice : kAdvice)
    if (text.starts_with(advice.prefix)) return &advice;
  return nullptr;
}

}  // namespace

std::string_view error_code(const Reply& error) {
  const std::string_view text = error.text;
  return text.substr(0, text.find(' '));
}

bool is_permission_error(const Reply& reply) {
  return reply.is_error() && error_code(reply) == "NOPERM";
}

bool refused_before_running(const Reply& error) {
  const Advice* advice = advice_for(error.text);
  // Redis 7 reports an error of a command inside a script with the script's name in it.
  return advice != nullptr && advice->before_running &&
         error.text.find("script:") == std::string::npos;
}

const Reply& reply_or_throw(const Exchange& exchange) {
  if (exchange.state != Exchange::State::replied)
    throw Error(Exit::target, "no answer from Redis: " + exchange.problem,
                "is it still running? a longer --timeout helps a slow one");
  if (!exchange.reply.is_error()) return exchange.reply;
  const Advice* advice = advice_for(exchange.reply.text);
  throw Error(Exit::target, "Redis refused: " + escape_for_terminal(exchange.reply.text),
              advice != nullptr ? std::string(advice->hint) : std::string());
}

Task<Reply> ask(Redis& redis, std::string wire) {
  const Exchange exchange = co_await redis.send(wire);
  co_return reply_or_throw(exchange);
}

}  // namespace rlctl
