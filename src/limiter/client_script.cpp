#include "limiter/client_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lua.hpp>
#include <new>
#include <random>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "io/clock.h"
#include "limiter/client_sandbox.h"
#include "limiter/lua/bounded_heap.h"
#include "limiter/lua/lua_value.h"

namespace rlctl {
namespace {

// How many instructions run between two checks of the limits. Each may copy megabytes.
constexpr std::int64_t kInterval = 1'000;

struct Heap : BoundedHeap {
  std::int64_t instructions_left = 0;
  std::int64_t cpu_end_us = 0;  // not by the clock: a process may be stopped and go on
};

// A script may catch the error; after that, every instruction raises it again.
void count_instructions(lua_State* lua, lua_Debug*) {
  void* data = nullptr;
  lua_getallocf(lua, &data);
  Heap& heap = *static_cast<Heap*>(static_cast<BoundedHeap*>(data));
  if (!heap.running) return;
  heap.instructions_left -= kInterval;
  const bool goes_on = heap.instructions_left > 0 && process_cpu_us() < heap.cpu_end_us;
  const std::int64_t interval = goes_on ? kInterval : 1;  // a long match asks for a check, too
  lua_sethook(lua, count_instructions, LUA_MASKCOUNT, static_cast<int>(interval));
  if (goes_on) return;
  luaL_error(lua, "the script ran too long and was stopped");
}

// Whole numbers are written in full, which %.17g does not guarantee; other numbers without loss.
std::string number_text(double value) {
  if (std::abs(value) < 0x1p63 && value == std::floor(value))
    return std::to_string(static_cast<std::int64_t>(value));
  return fmt::format("{:.17g}", value);
}

bool read_word(lua_State* lua, int index, std::string& word) {
  const int type = lua_type(lua, index);
  if (type == LUA_TNUMBER) {
    word = number_text(lua_tonumber(lua, index));
  } else if (type == LUA_TSTRING) {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua, index, &size);
    word.assign(text, size);
  } else {
    return false;
  }
  return true;
}

// Takes the command off the stack; false if it is not a command.
bool read_command(lua_State* lua, std::vector<std::string>& words) {
  words.resize(static_cast<std::size_t>(lua_gettop(lua)));
  bool good = !words.empty();
  for (std::size_t i = 0; good && i < words.size(); ++i)
    good = read_word(lua, static_cast<int>(i + 1), words[i]);
  lua_settop(lua, 0);
  return good;
}

// The error on top of the stack, in the form that Redis sends.
Reply error_from(lua_State* lua) {
  if (lua_type(lua, -1) == LUA_TSTRING)
    return error_reply("ERR " + std::string(lua_tostring(lua, -1)));
  Reply reply = reply_from(lua, -1);
  return reply.is_error() ? reply : error_reply("ERR the script raised an error without a text");
}

void push_words(lua_State* lua, std::span<const std::string> words) {
  lua_createtable(lua, static_cast<int>(words.size()), 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    lua_pushlstring(lua, words[i].data(), words[i].size());
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

struct ClientScript::Interpreter {
  Interpreter(const Script& script, ScriptBounds within, std::uint64_t seed)
      : bounds(within), lua(luaL_newstate()) {
    if (lua == nullptr) throw std::bad_alloc();
    heap.most_bytes = bounds.memory_bytes;
    heap.serve(lua);
    try {
      open_sandbox(lua, seed);
      metatable = luaL_ref(lua, LUA_REGISTRYINDEX);
      compile(script);
    } catch (...) {
      close();
      throw;
    }
  }
  ~Interpreter() { close(); }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void close() {
    heap.release(lua);
    lua_close(lua);
  }

  // A chunk has one table of globals. A function around it is created for every run, so each run
  // has its own table. The script is first compiled alone: text that is valid only inside the
  // function must not be accepted.
  void compile(const Script& script) {
    const std::string text(without_shebang(script.text));
    load(script, text);
    lua_pop(lua, 1);
    load(script, "return function(...) " + text + "\nend");
    factory = luaL_ref(lua, LUA_REGISTRYINDEX);
  }

  void load(const Script& script, const std::string& text) {
    const std::string name = "@" + script.origin;
    if (luaL_loadbufferx(lua, text.data(), text.size(), name.c_str(), "t") == 0) return;
    const std::string problem = lua_tostring(lua, -1);
    throw Error(Exit::usage,
                in_quotes(script.name) + " does not compile: " + escape_for_terminal(problem),
                "write Lua 5.1, as inside Redis");
  }

  // Creates a thread that is ready to start the script.
  lua_State* make_thread(std::span<const std::string> keys, std::span<const std::string> arguments,
                         int& reference) {
    lua_State* const thread = lua_newthread(lua);
    reference = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, factory);
    lua_call(lua, 0, 1);
    lua_createtable(lua, 0, 3);
    push_words(lua, keys);
    lua_setfield(lua, -2, "KEYS");
    push_words(lua, arguments);
    lua_setfield(lua, -2, "ARGV");
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -2, "_G");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, metatable);
    lua_setmetatable(lua, -2);
    lua_setfenv(lua, -2);
    lua_xmove(lua, thread, 1);
    return thread;
  }

  int resume(lua_State* thread, int values, std::int64_t& instructions_left) {
    heap.instructions_left = instructions_left;
    heap.cpu_end_us = process_cpu_us() + bounds.cpu_us;
    lua_sethook(thread, count_instructions, LUA_MASKCOUNT, static_cast<int>(kInterval));
    heap.running = true;
    const int status = lua_resume(thread, values);
    heap.running = false;
    instructions_left = heap.instructions_left;
    return status;
  }

  ScriptBounds bounds;
  Heap heap;
  lua_State* lua;
  int metatable = 0;
  int factory = 0;
};

ClientScript::ClientScript(const Script& script, ScriptBounds bounds)
    : ClientScript(script, bounds, random_seed()) {}

ClientScript::ClientScript(const Script& script, ScriptBounds bounds, std::uint64_t seed)
    : interpreter_(std::make_unique<Interpreter>(script, bounds, seed)) {}

ClientScript::~ClientScript() = default;

ClientScript::Run::Run(Run&& other) noexcept
    : script_(other.script_),
      thread_(std::exchange(other.thread_, nullptr)),
      reference_(other.reference_),
      commands_(other.commands_),
      instructions_left_(other.instructions_left_) {}

ClientScript::Run::~Run() { release(); }

void ClientScript::Run::release() {
  if (thread_ != nullptr) luaL_unref(script_->interpreter_->lua, LUA_REGISTRYINDEX, reference_);
  thread_ = nullptr;
}

ScriptStep ClientScript::Run::start(std::span<const std::string> keys,
                                    std::span<const std::string> arguments) {
  Interpreter& interpreter = *script_->interpreter_;
  release();
  commands_ = 0;
  instructions_left_ = interpreter.bounds.instructions;
  thread_ = interpreter.make_thread(keys, arguments, reference_);
  return advance(0);
}

ScriptStep ClientScript::Run::resume(const Reply& reply) {
  push_reply(thread_, reply);
  return advance(1);
}

ScriptStep ClientScript::Run::advance(int values) {
  Interpreter& interpreter = *script_->interpreter_;
  for (;;) {
    const int status = interpreter.resume(thread_, values, instructions_left_);
    if (status == 0) return finish(lua_gettop(thread_) == 0 ? Reply{} : reply_from(thread_, 1));
    if (status != LUA_YIELD) return finish(error_from(thread_));
    if (++commands_ > interpreter.bounds.commands)
      return finish(error_reply(
          fmt::format("ERR the script sends more than {} commands", interpreter.bounds.commands)));
    ScriptStep step;
    if (read_command(thread_, step.command)) return step;
    push_reply(thread_, error_reply("ERR a command must be one or more texts or numbers"));
    values = 1;
  }
}

ScriptStep ClientScript::Run::finish(Reply result) {
  release();
  ScriptStep step;
  step.result = std::move(result);
  return step;
}

}  // namespace rlctl
