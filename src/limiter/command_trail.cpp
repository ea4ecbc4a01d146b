#include "limiter/command_trail.h"

#include <algorithm>
#include <array>

namespace rlctl {
namespace {

constexpr std::array<std::string_view, 15> kForConnections = {
    "AUTH",       "CLIENT",    "HELLO", "MONITOR",      "PSUBSCRIBE",
    "PSYNC",      "QUIT",      "RESET", "READONLY",     "SELECT",
    "SSUBSCRIBE", "SUBSCRIBE", "SYNC",  "PUNSUBSCRIBE", "UNSUBSCRIBE"};

// A command that is not listed counts as a write: a mistake then causes at worst an `unknown` too
// many.
constexpr std::array<std::string_view, 45> kReading = {"DBSIZE",
                                                       "DISCARD",
                                                       "ECHO",
                                                       "EXISTS",
                                                       "EXPIRETIME",
                                                       "GET",
                                                       "GETRANGE",
                                                       "HEXISTS",
                                                       "HGET",
                                                       "HGETALL",
                                                       "HKEYS",
                                                       "HLEN",
                                                       "HMGET",
                                                       "HVALS",
                                                       "INFO",
                                                       "LINDEX",
                                                       "LLEN",
                                                       "LPOS",
                                                       "LRANGE",
                                                       "MGET",
                                                       "MULTI",
                                                       "OBJECT",
                                                       "PEXPIRETIME",
                                                       "PFCOUNT",
                                                       "PING",
                                                       "PTTL",
                                                       "SCARD",
                                                       "SISMEMBER",
                                                       "SMEMBERS",
                                                       "STRLEN",
                                                       "TIME",
                                                       "TTL",
                                                       "TYPE",
                                                       "UNWATCH",
                                                       "WATCH",
                                                       "ZCARD",
                                                       "ZCOUNT",
                                                       "ZMSCORE",
                                                       "ZRANGE",
                                                       "ZRANGEBYSCORE",
                                                       "ZRANK",
                                                       "ZREVRANGE",
                                                       "ZREVRANGEBYSCORE",
                                                       "ZREVRANK",
                                                       "ZSCORE"};

// Their error reply may come after they have written. Not EXEC's: once it runs, its reply is an
// array, so an error (EXECABORT, MOVED, ASK) means that nothing was run.
constexpr std::array<std::string_view, 4> kPrograms = {"EVAL", "EVALSHA", "FCALL", "SCRIPT"};

template <typename Names>
bool is_one_of(const std::string& name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

}  // namespace

bool changes_connection(std::span<const std::string> command) {
  return is_one_of(upper_case(command.front()), kForConnections);
}

void CommandTrail::add(std::span<const std::string> command, const Reply& reply) {
  const std::string name = upper_case(command.front());
  const bool queued = in_transaction_ && name != "EXEC" && name != "DISCARD";
  if (queued) return;
  if (name == "EXEC" || name == "DISCARD") in_transaction_ = watches_ = false;
  if (name == "MULTI" && !reply.is_error()) in_transaction_ = true;
  if (name == "WATCH" && !reply.is_error()) watches_ = true;
  if (name == "UNWATCH") watches_ = false;
  const bool refused = reply.is_error() && !is_one_of(name, kPrograms);
  const bool lost_the_race = name == "EXEC" && !reply.is_array();
  if (!is_one_of(name, kReading) && !refused && !lost_the_race) may_have_written_ = true;
}

std::string_view CommandTrail::closing_command() const {
  if (in_transaction_) return "DISCARD";
  return watches_ ? "UNWATCH" : "";
}

}  // namespace rlctl
