// The sandbox for a script that runs in rlctl: it offers the names that Redis offers and no others,
// and the script can't change them for another run. Never throws Error(Exit::usage); runs on the
// caller's Lua state.
#pragma once

#include <cstdint>

struct lua_State;

namespace rlctl {

// Prepares a new interpreter. Pushes the metatable for the table of a run's global variables:
// unknown names are looked up among Redis's names, and a run can't add any.
void open_sandbox(lua_State* lua, std::uint64_t seed);

// Opens one of Lua's libraries; `open` is its luaopen_ function.
void open_library(lua_State* lua, int (*open)(lua_State*), const char* name);

}  // namespace rlctl
