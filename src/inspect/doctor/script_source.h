// ScriptSource: the code of a Lua limiter as doctor reads it: its calls of Redis, which keys they
// use, and its blocks. It reads words, not a syntax tree. Owns its text. Pure; never fails: what it
// does not understand it leaves out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// One redis.call.
struct RedisCall {
  std::string command;                 // in lower case
  std::vector<std::string> arguments;  // as they are written, after the command
  std::size_t at = 0;                  // in the code
  bool conditional = false;            // within an if

  // Whether an argument is one of these words.
  bool has_any(std::initializer_list<std::string_view> words) const;
  bool writes() const;  // something that stays
  bool sets_expiry() const;
};

// What a block does, in order. The bodies of loops are steps like all others.
struct LuaStep {
  enum class Kind : std::uint8_t { call, leave, choice };
  Kind kind = Kind::call;
  std::size_t at = 0;    // in the code
  std::size_t call = 0;  // of the calls
  struct Branch {
    std::string condition;  // of an else: empty
    std::vector<LuaStep> steps;
  };
  std::vector<Branch> branches;  // of a choice
};

struct ScriptSource {
  explicit ScriptSource(std::string_view text);

  std::string code;  // without comments
  std::vector<RedisCall> calls;
  // The body of the script and of each function; empty if it is nested too deeply.
  std::vector<std::vector<LuaStep>> bodies;
  std::map<std::string, std::string> keys;  // by the variable that holds one: "KEYS[1]"

  // "KEYS[1]"; empty: not known.
  std::string key_of(const RedisCall& call) const;
};

}  // namespace rlctl
