#include "io/redis/redis_error.h"

#include <array>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/script_error.h"

namespace rlctl {
namespace {

// Whether a command with this error may have changed something.
enum class Ran : std::uint8_t {
  maybe,
  no,               // except from a script, which may have written before
  no_even_scripts,  // applies to all writes of a script, or is checked at its first one only
};

struct Advice {
  std::string_view words;  // the beginning of the error's text
  std::string_view hint;
  Ran ran;
};

constexpr std::array kAdvice{
    Advice{"NOAUTH",
           "this Redis needs a password: set REDISCLI_AUTH, --pass-file, or redis://user:pass@host",
           Ran::no},
    Advice{"WRONGPASS", "user or password is wrong: check REDISCLI_AUTH, --pass-file or the URL",
           Ran::no},
    Advice{"ERR AUTH <password> called without", "this Redis has no password: leave it out",
           Ran::no},
    Advice{"ERR invalid password",
           "the password is wrong: check REDISCLI_AUTH, --pass-file or the URL", Ran::no},
    Advice{"ERR Client sent AUTH", "this Redis has no password: leave it out", Ran::no},
    Advice{"NOPERM", "this user lacks the permission: see ACL WHOAMI and ACL GETUSER", Ran::no},
    Advice{"ERR DB index", "this database does not exist here; see `databases` in redis.conf",
           Ran::no},
    Advice{"ERR invalid DB index",
           "this database does not exist here; see `databases` in redis.conf", Ran::no},
    Advice{"ERR max number of clients", "raise `maxclients` on the server or use fewer connections",
           Ran::no},
    Advice{"DENIED", "protected mode accepts only local clients: set a password or `bind`",
           Ran::no},
    Advice{"ERR SELECT is not allowed in cluster mode", "a cluster has only database 0", Ran::no},
    Advice{"LOADING",
           "Redis is still reading its data from disk: try again, or use a longer --timeout",
           Ran::no},
    Advice{"BUSY", "another script is blocking this Redis; see SCRIPT KILL (rlctl never sends it)",
           Ran::no},
    Advice{"MASTERDOWN", "this replica lost its master: connect to the master", Ran::no},
    Advice{"READONLY", "this is a replica, and limiters write: connect to its master",
           Ran::no_even_scripts},
    Advice{"OOM", "Redis is at `maxmemory`: writes are refused, `rlctl reset` still works",
           Ran::no_even_scripts},
    Advice{"MISCONF", "Redis can't save to disk and therefore refuses writes; see its log",
           Ran::no_even_scripts},
    Advice{"NOREPLICAS", "too few replicas are connected (`min-replicas-to-write`)",
           Ran::no_even_scripts},
    Advice{"CLUSTERDOWN", "the cluster is not complete; see CLUSTER INFO", Ran::no},
    Advice{"MOVED", "the key is on another node of this cluster: connect to that node", Ran::no},
    Advice{"ASK", "this key is moving between nodes of a cluster; try again later", Ran::no},
    Advice{"TRYAGAIN", "these keys are moving between nodes of a cluster; try again later",
           Ran::no},
    Advice{"CROSSSLOT", "in a cluster, all keys of a script need the same {hash tag}", Ran::no},
    Advice{"NOSCRIPT", "the script is not loaded: run `rlctl load`", Ran::no},
    Advice{"WRONGTYPE", "a key holds a different type than needed: see `rlctl inspect KEY`",
           Ran::maybe},
    Advice{"ERR unknown command",
           "this server lacks that command: it is a Sentinel (redis+sentinel://HOST:PORT/NAME), an "
           "old "
           "Redis, or the command was renamed",
           Ran::no},
};

// Compares whole words: BUSYKEY is not BUSY.
bool begins_with_words(std::string_view text, std::string_view words) {
  return text.starts_with(words) && (text.size() == words.size() || text[words.size()] == ' ');
}

const Advice* advice_for(std::string_view text) {
  for (const Advice& advice : kAdvice)
    if (begins_with_words(text, advice.words)) return &advice;
  return nullptr;
}

// The text between two others; empty if they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto at = text.find(before);
  if (at == text.npos) return {};
  text.remove_prefix(at + before.size());
  const auto end = text.find(after);
  return end == text.npos ? std::string_view{} : text.substr(0, end);
}

bool is_about_keys(std::string_view text) {
  return text.find("ermissions to access") != text.npos ||
         text.find("can't access at least one of the keys") != text.npos;
}

// The rule that grants what the error says is missing; empty: it is about something else. From a
// script, Redis before 7.2 does not say which command it is.
std::string missing_rule(std::string_view text) {
  if (const auto command = between(text, "run the '", "'"); !command.empty())
    return "+" + escape_for_terminal(command);
  if (text.find("user executing the script can't run") != text.npos)
    return "+COMMAND, for each command of the script";
  return is_about_keys(text) ? "~PATTERN, for the keys" : "";
}

}  // namespace

std::string hint_for_error(std::string_view text) {
  if (const std::string rule = missing_rule(text); !rule.empty()) {
    const std::string_view user = between(text, "User ", " has no permissions");
    return "this grants it: ACL SETUSER " + (user.empty() ? "NAME" : escape_for_terminal(user)) +
           " " + rule;
  }
  const Advice* advice = advice_for(text);
  return advice != nullptr ? std::string(advice->hint) : std::string();
}

std::string error_with_hint(std::string_view text) {
  const std::string hint = hint_for_error(text);
  return escape_for_terminal(text) + (hint.empty() ? "" : " (" + hint + ")");
}

std::string_view error_code(const Reply& error) {
  const std::string_view text = error.text;
  return text.substr(0, text.find(' '));
}

bool is_permission_error(const Reply& reply) {
  return reply.is_error() && error_code(reply) == "NOPERM";
}

bool is_key_permission_error(const Reply& reply) {
  return is_permission_error(reply) && is_about_keys(reply.text);
}

bool refused_before_running(const Reply& error) {
  const ScriptError script = read_script_error(error.text);
  const Advice* advice = advice_for(script.is_refusal ? script.message : error.text);
  // An error of a command inside a script has the script's name in it.
  const bool from_script = error.text.find("script:") != std::string::npos;
  if (advice == nullptr || advice->ran == Ran::maybe) return false;
  return !from_script || advice->ran == Ran::no_even_scripts;
}

const Reply& reply_or_throw(const Exchange& exchange, Exit not_allowed) {
  if (exchange.state != Exchange::State::replied)
    throw Error(Exit::target, "no answer from Redis: " + exchange.problem,
                "check that it runs; for a slow server use a longer --timeout");
  if (!exchange.reply.is_error()) return exchange.reply;
  const std::string message = read_script_error(exchange.reply.text).message;
  throw Error(is_permission_error(exchange.reply) ? not_allowed : Exit::target,
              "Redis refused: " + escape_for_terminal(message),
              hint_for_error(exchange.reply.text));
}

}  // namespace rlctl
