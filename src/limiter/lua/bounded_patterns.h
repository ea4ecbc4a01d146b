// string.find, match, gmatch and gsub that refuse a pattern which can take too long on its text
// (limiter/lua/pattern_bound.h). Runs on the caller's Lua state, with its string library.
#pragma once

struct lua_State;

namespace rlctl {

// `can_take_long`: a C function of Lua, from a text and a pattern to a boolean.
void bound_patterns(lua_State* lua, int (*can_take_long)(lua_State*));

// At most so many steps, for the text and the pattern that such a function gets; 0 if they are
// none.
double match_steps_asked_for(lua_State* lua);

// Some seconds. What a limiter has to do is done in microseconds.
inline constexpr double kMostMatchSteps = 1e9;

}  // namespace rlctl
