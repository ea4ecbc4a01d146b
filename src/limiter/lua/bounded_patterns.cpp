#include "limiter/lua/bounded_patterns.h"

#include <lua.hpp>
#include <stdexcept>
#include <string_view>

#include "limiter/lua/pattern_bound.h"

namespace rlctl {
namespace {

constexpr std::string_view kBounded = R"lua(
local can_take_long = ...
local error, find = error, string.find
local function bounded(match)
  return function(text, pattern, ...)
    if can_take_long(text, pattern) then
      error('this pattern can take too long on this text: use fewer of *, + and - in it', 2)
    end
    return match(text, pattern, ...)
  end
end
local find_bounded = bounded(find)
function string.find(text, pattern, init, plain, ...)
  if plain then return find(text, pattern, init, plain, ...) end
  return find_bounded(text, pattern, init, plain, ...)
end
string.match, string.gmatch, string.gsub =
  bounded(string.match), bounded(string.gmatch), bounded(string.gsub)
)lua";

}  // namespace

void bound_patterns(lua_State* lua, int (*can_take_long)(lua_State*)) {
  if (luaL_loadbuffer(lua, kBounded.data(), kBounded.size(), "=patterns") != 0)
    throw std::logic_error(lua_tostring(lua, -1));
  lua_pushcfunction(lua, can_take_long);
  lua_call(lua, 1, 0);
}

double match_steps_asked_for(lua_State* lua) {
  if (lua_isstring(lua, 1) == 0 || lua_isstring(lua, 2) == 0) return 0;
  std::size_t size = 0;
  lua_tolstring(lua, 1, &size);
  std::size_t pattern_size = 0;
  const char* const pattern = lua_tolstring(lua, 2, &pattern_size);
  return most_match_steps({pattern, pattern_size}, size);
}

}  // namespace rlctl
