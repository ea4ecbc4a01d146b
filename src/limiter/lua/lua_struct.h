// Lua's `struct` as Redis offers it: numbers and strings packed into bytes by a format. Source of
// the formats: Redis's documentation of the struct library. Errors are Lua errors. Integers of more
// than 8 bytes are refused.
#pragma once

struct lua_State;

namespace rlctl {

// Pushes the table of the library: pack, unpack, size.
int open_struct(lua_State* lua);

}  // namespace rlctl
