// cjson for scripts that run in rlctl: encode, decode and null, as lua-cjson does them inside Redis
// ("cjson library" in Redis's Lua API reference). A value that can't be converted raises a Lua
// error.
#pragma once

struct lua_State;

namespace rlctl {

// Pushes the table {encode =, decode =, null =}.
void push_cjson(lua_State* lua);

}  // namespace rlctl
