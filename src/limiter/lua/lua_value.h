// Converts values between Redis and Lua as Redis does in a script (RESP2): "Redis and Lua data type
// conversion" in its Lua API reference. push_reply may raise a Lua error when memory runs out. Any
// thread that may use the interpreter.
#pragma once

#include "io/redis/reply.h"

struct lua_State;

namespace rlctl {

// Pushes the reply: an integer as a number, nil as false, a status as {ok = text}, an error as {err
// = text}, an array as a table.
void push_reply(lua_State* lua, const Reply& reply);

// The reply that Redis would send for the value at `index`: numbers lose their fraction, true is 1,
// false and any type unknown to Redis is nil, a table ends at its first nil, {err = text} and {ok =
// text} are error and status. Raises nothing and runs no metamethod; a table that is too deep or
// too large becomes an error reply.
Reply reply_from(lua_State* lua, int index);

Reply error_reply(std::string text);

}  // namespace rlctl
