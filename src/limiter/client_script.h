// ClientScript: a script that runs step by step, as a limiter written in Java or Node does. Each
// step names a command, gets its reply and goes on. The script sees the same environment as in
// Redis: redis.call, pcall, KEYS, ARGV, cjson, bit, RESP2 conversions (Redis, "Scripting with Lua"
// and "Lua API reference"). No input or output here: the caller decides when, where and in what
// order commands are sent. If all steps run at once, the result is the same as in Redis.
//
// Owns one interpreter, in which the script is compiled once; every run is a Lua thread of about 2
// KB (an interpreter for each of 3,000 users took 130 MB). A run can't see another run's global
// variables. Not offered: os, io, load, require, debug, ffi, coroutine, cmsgpack and RESP3.
// A script must not call commands where LuaJIT can't pause: inside a callback of table.sort or
// string.gsub.
//
// Throws Error(Exit::usage) if the script does not compile. Any failure at run time (an endless
// loop, no memory, too many commands) ends the run with an error reply. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/redis/reply.h"
#include "limiter/registry.h"

struct lua_State;

namespace rlctl {

struct ScriptStep {
  // The next command, as words; empty if the script has ended.
  std::vector<std::string> command;
  // The script's result, as Redis would send it. An error that it did not catch is an error reply.
  Reply result;

  bool has_ended() const { return command.empty(); }
};

// Limits of a run; a script that needs more is faulty.
struct ScriptBounds {
  std::int64_t instructions = 10'000'000;       // Lua's, over all steps of a run
  std::int64_t cpu_us = 2'000'000;              // of one step and one call more of a library
  std::int64_t commands = 10'000;               // of a run
  std::size_t memory_bytes = 64 * 1024 * 1024;  // of all runs together
};

class ClientScript {
 public:
  // One execution from start to end; can be started again. Must not outlive its script; may be
  // destroyed at any time.
  class Run {
   public:
    explicit Run(ClientScript& script) : script_(&script) {}
    Run(Run&& other) noexcept;
    Run& operator=(Run&&) = delete;
    ~Run();

    // Runs from the beginning to the first command or to the end. Ends a run that is in progress.
    ScriptStep start(std::span<const std::string> keys, std::span<const std::string> arguments);
    // Continues with the reply to the last step's command.
    ScriptStep resume(const Reply& reply);

   private:
    ScriptStep advance(int values);
    ScriptStep finish(Reply result);
    void release();

    ClientScript* script_;
    lua_State* thread_ = nullptr;  // null: not running
    int reference_ = 0;            // keeps the thread alive, in the interpreter's registry
    std::int64_t commands_ = 0;
    std::int64_t instructions_left_ = 0;
  };

  // `seed` is for math.random. All runs share its state, as they would in one process.
  explicit ClientScript(const Script& script, ScriptBounds bounds = {});
  ClientScript(const Script& script, ScriptBounds bounds, std::uint64_t seed);
  ~ClientScript();
  ClientScript(const ClientScript&) = delete;
  ClientScript& operator=(const ClientScript&) = delete;

 private:
  struct Interpreter;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace rlctl
