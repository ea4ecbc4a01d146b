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
#include "limiter/lua/bounded_heap.h"
#include "limiter/lua/bounded_patterns.h"
#include "limiter/lua/lua_struct.h"
#include "limiter/lua/lua_value.h"

namespace rlctl {
namespace {

constexpr int kMaxInstructions = 100'000;
constexpr std::size_t kMostBytes = 16 << 20;  // that one evaluation may add

// What one evaluation may take.
struct Budget : BoundedHeap {
  double match_steps = 0;  // that its patterns may have taken
};

Budget& budget_of(lua_State* lua) {
  void* heap = nullptr;
  lua_getallocf(lua, &heap);
  return *static_cast<Budget*>(static_cast<BoundedHeap*>(heap));
}

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

// The hook of `stop` counts instructions, of which a whole search is one.
int uses_up_steps(lua_State* lua) {
  double& steps = budget_of(lua).match_steps;
  steps += match_steps_asked_for(lua);
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

// A value may have such a name, but no expression can use it.
bool is_keyword(std::string_view word) {
  constexpr std::string_view kKeywords[] = {
      "and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
      "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
      "repeat",   "return", "then", "true", "until",  "while"};
  return std::ranges::find(kKeywords, word) != std::end(kKeywords);
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

void Expressions::Close::operator()(lua_State* lua) const {
  const std::unique_ptr<Budget> budget(&budget_of(lua));
  budget->release(lua);
  lua_close(lua);
}

Expressions::Expressions(std::span<const std::string> texts, std::span<const std::string> names,
                         const std::string& origin)
    : lua_(open()) {
  for (const std::string& name : names) names_.push_back({.text = name});
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

lua_State* Expressions::open() {
  auto budget = std::make_unique<Budget>();
  lua_State* const lua = luaL_newstate();
  if (lua == nullptr) throw std::bad_alloc();
  budget.release()->serve(lua);
  return lua;
}

// A word that stands in a comment or a string is taken, too, which does no harm.
std::vector<Expressions::Slot> Expressions::names_in(std::string_view text) {
  std::vector<Slot> found;
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_name_character) - text.begin();
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end));
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
    if (word.empty() || is_digit(word.front()) || is_keyword(word)) continue;
    const auto name = std::ranges::find(names_, word, &Name::text);
    if (name == names_.end()) continue;
    const auto slot = static_cast<Slot>(name - names_.begin());
    if (std::ranges::find(found, slot) == found.end()) found.push_back(slot);
  }
  return found;
}

void Expressions::compile(const std::string& text, const std::string& origin) {
  lua_State* lua = lua_.get();
  Function function{.arguments = names_in(text)};
  std::string head;
  for (const Slot slot : function.arguments) {
    head += (head.empty() ? "local " : ",") + names_[slot].text;
    names_[slot].is_used = true;
    function.is_name = trimmed(text) == names_[slot].text;
  }
  if (!head.empty()) head += "=...;";
  const std::string chunk = head + "return (" + text + "\n)";
  if (luaL_loadbuffer(lua, chunk.data(), chunk.size(), "=expression") != 0) {
    const std::string problem = lua_tostring(lua, -1);
    throw Error(Exit::usage,
                escape_for_terminal(origin) + ": '" + escape_for_terminal(text) +
                    "' is not a Lua expression: " + escape_for_terminal(problem),
                "for example: allowed = reply[1] <= limit");
  }
  function.reference = luaL_ref(lua, LUA_REGISTRYINDEX);
  functions_.push_back(std::move(function));
}

Expressions::Slot Expressions::slot_of(std::string_view name) const {
  const auto found = std::ranges::find(names_, name, &Name::text);
  assert(found != names_.end());
  return static_cast<Slot>(found - names_.begin());
}

// Takes the value from the top of the stack.
void Expressions::take_object(Name& name) {
  if (name.object == 0)
    name.object = luaL_ref(lua_.get(), LUA_REGISTRYINDEX);
  else
    lua_rawseti(lua_.get(), LUA_REGISTRYINDEX, name.object);
  name.holds = Name::Holds::object;
}

void Expressions::set(Slot slot, double value) {
  names_[slot].holds = Name::Holds::number;
  names_[slot].number = value;
}

void Expressions::set(Slot slot, std::optional<double> value) {
  if (value) return set(slot, *value);
  names_[slot].holds = Name::Holds::no_value;
}

void Expressions::set(Slot slot, std::string_view value) {
  if (!names_[slot].is_used) return;
  lua_pushlstring(lua_.get(), value.data(), value.size());
  take_object(names_[slot]);
}

void Expressions::set(Slot slot, const Reply& value) {
  if (value.is_nil()) return set(slot, std::optional<double>());
  if (value.is_integer()) return set(slot, static_cast<double>(value.integer));
  if (!names_[slot].is_used) return;
  push_reply(lua_.get(), value);
  take_object(names_[slot]);
}

void Expressions::set_strictly(std::string_view name, const Reply& value) {
  push_strictly(lua_.get(), value);
  take_object(names_[slot_of(name)]);
}

void Expressions::push(const Name& name) const {
  switch (name.holds) {
    case Name::Holds::nothing:
      return lua_pushnil(lua_.get());
    case Name::Holds::no_value:
      return lua_pushboolean(lua_.get(), 0);
    case Name::Holds::number:
      return lua_pushnumber(lua_.get(), name.number);
    case Name::Holds::object:
      lua_rawgeti(lua_.get(), LUA_REGISTRYINDEX, name.object);
  }
}

// Of an expression that is a name which holds a number: it needs no Lua.
const double* Expressions::plain_number(std::size_t index) const {
  const Function& function = functions_[index];
  if (!function.is_name) return nullptr;
  const Name& name = names_[function.arguments.front()];
  return name.holds == Name::Holds::number && std::isfinite(name.number) ? &name.number : nullptr;
}

// Leaves the value on the stack; leaves nothing if the expression fails.
bool Expressions::run(std::size_t index) {
  lua_State* lua = lua_.get();
  const Function& function = functions_.at(index);
  lua_sethook(lua, stop, LUA_MASKCOUNT, kMaxInstructions);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, function.reference);
  for (const Slot slot : function.arguments) push(names_[slot]);
  problem_.clear();
  Budget& budget = budget_of(lua);
  budget.match_steps = 0;
  budget.most_bytes = budget.used_bytes() + kMostBytes;
  budget.running = true;
  const bool succeeded = lua_pcall(lua, static_cast<int>(function.arguments.size()), 1, 0) == 0;
  budget.running = false;
  if (succeeded) return true;
  if (const char* problem = lua_tostring(lua, -1)) problem_ = without_place(problem);
  lua_pop(lua, 1);
  return false;
}

std::optional<double> Expressions::evaluate(std::size_t index) {
  if (const double* number = plain_number(index)) return *number;
  if (!run(index)) return std::nullopt;
  lua_State* lua = lua_.get();
  if (!lua_isboolean(lua, -1) && !lua_isnil(lua, -1)) return pop_number(lua);
  const bool truth = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return truth;
}

std::optional<double> Expressions::number(std::size_t index) {
  if (const double* number = plain_number(index)) return *number;
  if (!run(index)) return std::nullopt;
  return pop_number(lua_.get());
}

}  // namespace rlctl
