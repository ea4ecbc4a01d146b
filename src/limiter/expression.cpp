#include "limiter/expression.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <lua.hpp>
#include <new>
#include <regex>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "limiter/client_sandbox.h"
#include "limiter/lua/bounded_patterns.h"
#include "limiter/lua/lua_struct.h"
#include "limiter/lua/lua_value.h"

namespace rlctl {
namespace {

constexpr int kMaxInstructions = 100'000;

// Removes all basic functions that a pure expression does not need: load and dofile read files, and
// pcall would catch the error that stops an endless loop.
void keep_basic_functions(lua_State* lua) {
  constexpr std::array<std::string_view, 5> kKept{"tonumber", "tostring", "type", "unpack",
                                                  LUA_STRLIBNAME};
  lua_pushnil(lua);
  while (lua_next(lua, LUA_GLOBALSINDEX) != 0) {
    lua_pop(lua, 1);
    const std::string_view name = lua_tostring(lua, -1);
    if (std::find(kKept.begin(), kKept.end(), name) != kKept.end()) continue;
    lua_pushvalue(lua, -1);
    lua_pushnil(lua);
    lua_rawset(lua, LUA_GLOBALSINDEX);
  }
}

void stop(lua_State* lua, lua_Debug*) { luaL_error(lua, "too many steps"); }

// In the registry: the steps that the patterns of this evaluation may have taken.
constexpr const char* kMatchSteps = "rlctl match steps";

void set_match_steps(lua_State* lua, double steps) {
  lua_pushnumber(lua, steps);
  lua_setfield(lua, LUA_REGISTRYINDEX, kMatchSteps);
}

// The hook of `stop` counts instructions, of which a whole search is one.
int uses_up_steps(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kMatchSteps);
  const double steps = lua_tonumber(lua, -1) + match_steps_asked_for(lua);
  set_match_steps(lua, steps);
  lua_pushboolean(lua, steps > kMostMatchSteps);
  return 1;
}

int refuse_missing(lua_State* lua) {
  if (!lua_isnumber(lua, 2)) return 0;
  return luaL_error(lua, "element %d is asked for, and there are %d",
                    static_cast<int>(lua_tointeger(lua, 2)), static_cast<int>(lua_objlen(lua, 1)));
}

void push_strictly(lua_State* lua, const Reply& reply) {
  if (reply.type == Reply::Type::status)
    return lua_pushlstring(lua, reply.text.data(), reply.text.size());
  if (!reply.is_array()) return push_reply(lua, reply);
  luaL_checkstack(lua, 4, "too deep");
  lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
  for (std::size_t i = 0; i < reply.elements.size(); ++i) {
    push_strictly(lua, reply.elements[i]);
    lua_rawseti(lua, -2, static_cast<int>(i) + 1);
  }
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, refuse_missing);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
}

// Lua begins a message with `expression:LINE: `.
std::string_view without_place(std::string_view problem) {
  if (problem.starts_with("expression:")) problem.remove_prefix(problem.find(": ") + 2);
  return problem;
}

// Pops the number from the top of the stack and returns it.
std::optional<double> pop_number(lua_State* lua) {
  std::optional<double> value;
  if (lua_isnumber(lua, -1)) value = lua_tonumber(lua, -1);
  lua_pop(lua, 1);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Beside an operand they make it another: `#reply == 2`, `reply == 1 + 1`, `reply == f(x)`.
constexpr std::string_view kJoinsBefore = "+-*/%^.#";
constexpr std::string_view kJoinsAfter = "+-*/%^.(:[";

}  // namespace

std::string Equality::mixes_types() const {
  return "({stringnumber = 1, numberstring = 1})[type(" + left + ") .. type(" + right + ")]";
}

std::vector<Equality> equalities_in(const std::string& expression) {
  static const std::string kOperand =
      R"(([A-Za-z_]\w*(?:\s*\[[^\[\]]*\])*|\d+(?:\.\d+)?|'[^']*'|"[^"]*"))";
  static const std::regex kEquality(kOperand + R"(\s*(==|~=)\s*)" + kOperand);
  std::vector<Equality> equalities;
  // std::regex descends with each character that it matches, and nobody writes that much.
  if (expression.size() > 1'000) return equalities;
  for (std::sregex_iterator at(expression.begin(), expression.end(), kEquality), none; at != none;
       ++at) {
    const std::string before(trimmed(at->prefix().str(), kBlanksAndLineEnds));
    const std::string after(trimmed(at->suffix().str(), kBlanksAndLineEnds));
    if (!before.empty() && kJoinsBefore.find(before.back()) != kJoinsBefore.npos) continue;
    if (!after.empty() && kJoinsAfter.find(after.front()) != kJoinsAfter.npos) continue;
    equalities.push_back({at->str(), at->str(1), at->str(3), at->str(2) == "~="});
  }
  return equalities;
}

void Expressions::Close::operator()(lua_State* lua) const { lua_close(lua); }

Expressions::Expressions(std::span<const std::string> texts, std::span<const std::string> names,
                         const std::string& origin)
    : lua_(luaL_newstate()), names_(names.begin(), names.end()) {
  if (!lua_) throw std::bad_alloc();
  // The JIT is off: compiled traces do not count instructions, so an endless loop would never stop.
  luaJIT_setmode(lua_.get(), 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  open_library(lua_.get(), luaopen_base, "");
  open_library(lua_.get(), luaopen_string, LUA_STRLIBNAME);
  bound_patterns(lua_.get(), uses_up_steps);
  keep_basic_functions(lua_.get());
  open_library(lua_.get(), luaopen_math, LUA_MATHLIBNAME);
  open_library(lua_.get(), luaopen_table, LUA_TABLIBNAME);
  open_struct(lua_.get());
  lua_setglobal(lua_.get(), "struct");
  for (const std::string& text : texts) compile(text, origin);
}

void Expressions::compile(const std::string& text, const std::string& origin) {
  lua_State* lua = lua_.get();
  const std::string chunk = "return (" + text + "\n)";
  if (luaL_loadbuffer(lua, chunk.data(), chunk.size(), "=expression") != 0) {
    const std::string problem = lua_tostring(lua, -1);
    throw Error(Exit::usage,
                escape_for_terminal(origin) + ": '" + escape_for_terminal(text) +
                    "' is not a Lua expression: " + escape_for_terminal(problem),
                "for example: allowed = reply[1] <= limit");
  }
  functions_.push_back(luaL_ref(lua, LUA_REGISTRYINDEX));
}

void Expressions::check_name([[maybe_unused]] std::string_view name) const {
  assert(std::find(names_.begin(), names_.end(), name) != names_.end());
}

void Expressions::set(std::string_view name, double value) {
  check_name(name);
  lua_pushnumber(lua_.get(), value);
  lua_setglobal(lua_.get(), std::string(name).c_str());
}

void Expressions::set(std::string_view name, std::string_view value) {
  check_name(name);
  lua_pushlstring(lua_.get(), value.data(), value.size());
  lua_setglobal(lua_.get(), std::string(name).c_str());
}

void Expressions::set(std::string_view name, const Reply& value) {
  check_name(name);
  push_reply(lua_.get(), value);
  lua_setglobal(lua_.get(), std::string(name).c_str());
}

void Expressions::set_strictly(std::string_view name, const Reply& value) {
  check_name(name);
  push_strictly(lua_.get(), value);
  lua_setglobal(lua_.get(), std::string(name).c_str());
}

// Leaves the value on the stack; leaves nothing if the expression fails.
bool Expressions::run(std::size_t index) {
  lua_State* lua = lua_.get();
  lua_sethook(lua, stop, LUA_MASKCOUNT, kMaxInstructions);
  set_match_steps(lua, 0);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, functions_.at(index));
  problem_.clear();
  if (lua_pcall(lua, 0, 1, 0) == 0) return true;
  if (const char* problem = lua_tostring(lua, -1)) problem_ = without_place(problem);
  lua_pop(lua, 1);
  return false;
}

std::optional<double> Expressions::evaluate(std::size_t index) {
  if (!run(index)) return std::nullopt;
  lua_State* lua = lua_.get();
  if (!lua_isboolean(lua, -1) && !lua_isnil(lua, -1)) return pop_number(lua);
  const bool truth = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return truth;
}

std::optional<double> Expressions::number(std::size_t index) {
  if (!run(index)) return std::nullopt;
  return pop_number(lua_.get());
}

}  // namespace rlctl
