// The sandbox: what a script that runs in rlctl finds around it. Redis's names and no others, none
// of which it can change for another run. Error(Exit::usage) never; runs on the caller's Lua state.
#pragma once

#include <cstdint>

struct lua_State;

namespace rlctl {

// Prepares a new interpreter, and pushes the metatable for the table that holds a run's own global
// variables: what is not there is looked up among Redis's names, and nothing can be added to it.
void open_sandbox(lua_State* lua, std::uint64_t seed);

}  // namespace rlctl
