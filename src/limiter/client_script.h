// ClientScript: a script that runs step by step, as a limiter written in Java or Node does. It says
// which command it wants, is handed the reply, and goes on; what it looks like to the script is
// Redis's own: redis.call, pcall, KEYS, ARGV, cjson, bit, RESP2 conversions (Redis, "Scripting with
// Lua" and "Lua API reference"). No input or output here: whoever drives it decides when, where and
// in what order commands go. Taken all at once, the steps of a run are what Redis would have done.
//
// Owns one interpreter, in which the script is compiled once; every run is a Lua thread of about
// 2 KB (an interpreter for each of 3,000 users took 130 MB). A run sees no global variable of
// another. Not offered: os, io, load, require, debug, ffi, coroutine, struct, cmsgpack and RESP3.
// Commands must not be called where LuaJIT can't pause: inside table.sort's or string.gsub's
// callback.
//
// Fails with Error(Exit::usage) when the script does not compile. Whatever it does when it runs,
// without end, without memory, with too many commands, ends the run as an error reply. One thread.
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
  // The command that the script wants, in words; empty when it has ended.
  std::vector<std::string> command;
  // What it returned, as Redis would send it. An error it did not catch is an error reply.
  Reply result;

  bool has_ended() const { return command.empty(); }
};

// What a run may use; a script that needs more is broken.
struct ScriptBounds {
  std::int64_t instructions = 10'000'000;       // Lua's, over all steps of a run
  std::int64_t commands = 10'000;               // of a run
  std::size_t memory_bytes = 64 * 1024 * 1024;  // of all runs together
};

class ClientScript {
 public:
  // An execution from start to end; can be started again. Must not outlive its script; may be
  // dropped at any time.
  class Run {
   public:
    explicit Run(ClientScript& script) : script_(&script) {}
    Run(Run&& other) noexcept;
    Run& operator=(Run&&) = delete;
    ~Run();

    // From the beginning, to the first command or the end. Ends what was running before.
    ScriptStep start(std::span<const std::string> keys, std::span<const std::string> arguments);
    // With the reply to the command that the last step wanted.
    ScriptStep resume(const Reply& reply);

   private:
    ScriptStep advance(int values);
    ScriptStep finish(Reply result);
    void release();

    ClientScript* script_;
    lua_State* thread_ = nullptr;  // null: not running
    int reference_ = 0;            // what keeps the thread alive, in the interpreter's registry
    std::int64_t commands_ = 0;
    std::int64_t instructions_left_ = 0;
  };

  // `seed`: of math.random, which all runs share, as they would in one process.
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
