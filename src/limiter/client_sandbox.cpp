#include "limiter/client_sandbox.h"

#include <lua.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/redis/script_sha1.h"
#include "limiter/lua/bounded_patterns.h"
#include "limiter/lua/lua_struct.h"
#include "limiter/registry.h"

// lua-cjson's header says no more, and leaves out that it is C.
extern "C" int luaopen_cjson(lua_State* lua);

namespace rlctl {
namespace {

// redis.call pauses the run and yields the command as values; the run continues with the reply. It
// is Lua and not C because it raises errors after a pause, and a C function does not survive a
// pause. The same is true of pcall, which returns Redis's errors as text (as Redis did before 7.0,
// where they became tables).
constexpr std::string_view kSandbox = R"lua(
local sha1hex, cjson_library, bit, struct = ...
local yield, native_pcall, native_rawset = coroutine.yield, pcall, rawset
local find, format, sub = string.find, string.format, string.sub
local error, next, rawget, select, setmetatable, type =
  error, next, rawget, select, setmetatable, type

local sealed = {}
local function refuse() error('the script tries to change what belongs to Redis', 2) end
local function seal(library)
  local face = setmetatable({}, {__index = library, __newindex = refuse, __metatable = false})
  sealed[face] = true
  return face
end

local redis = {
  pcall = function(...) return yield(...) end,
  sha1hex = sha1hex,
  LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
  REPL_NONE = 0, REPL_AOF = 1, REPL_SLAVE = 2, REPL_REPLICA = 2, REPL_ALL = 3,
}
function redis.call(...)
  local reply = yield(...)
  if type(reply) == 'table' and reply.err then error(reply) end
  return reply
end
function redis.error_reply(text)
  if type(text) ~= 'string' then return {err = 'ERR redis.error_reply wants one text'} end
  if sub(text, 1, 1) == '-' then text = sub(text, 2) end
  if not find(text, ' ', 1, true) then text = 'ERR ' .. text end
  return {err = text}
end
function redis.status_reply(text)
  if type(text) ~= 'string' then
    return {err = 'ERR redis.status_reply wants one text'}
  end
  return {ok = text}
end
function redis.log(level, ...)
  if type(level) ~= 'number' or select('#', ...) == 0 then
    error({err = 'ERR redis.log wants a level and a text'})
  end
end
function redis.setresp(version)
  if version ~= 2 then
    error({err = 'ERR a script that runs on the client is answered in RESP2'})
  end
end
function redis.set_repl() end
function redis.replicate_commands() return true end

-- lua-cjson, whose buffers are outside of the bound on memory, and which ends the process when one
-- can't be had. So what JSON may take is counted first, at its longest (by instructions, which are
-- bounded too), and of decodes that left their buffer behind there are only so many. What sets the
-- library up is not offered: the counting goes by its defaults.
local most_bytes, most_depth, lost_bytes = 64 * 2^20, 1000, 0
local function room_after(value, room, depth)
  if type(value) == 'string' then return room - 6 * #value - 3 end
  room = room - 64
  if type(value) ~= 'table' or depth > most_depth then return room end
  for key, item in next, value do
    if room < 0 then break end
    room = room_after(item, room_after(key, room, depth + 1), depth + 1)
  end
  return room
end
local encode, decode = cjson_library.encode, cjson_library.decode
local cjson = {null = cjson_library.null}
function cjson.encode(...)
  if room_after((...), most_bytes, 0) < 0 then error('Cannot serialise: too long', 2) end
  return encode(...)
end
function cjson.decode(...)
  if lost_bytes > most_bytes then error('not enough memory', 2) end
  local good, value = native_pcall(decode, ...)
  if good then return value end
  if value == 'not enough memory' then lost_bytes = lost_bytes + #(...) end
  error(value, 2)
end

local function plain(good, problem, ...)
  if not good and type(problem) == 'table' and type(rawget(problem, 'err')) == 'string' then
    return false, problem.err
  end
  return good, problem, ...
end

string.dump = nil
local globals = {
  _VERSION = _VERSION, assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs,
  next = next, pairs = pairs, rawequal = rawequal, rawget = rawget, select = select,
  setmetatable = setmetatable, tonumber = tonumber, tostring = tostring, type = type,
  unpack = unpack, xpcall = xpcall,
  pcall = function(...) return plain(native_pcall(...)) end,
  rawset = function(object, ...)
    if sealed[object] then refuse() end
    return native_rawset(object, ...)
  end,
  bit = seal(bit), cjson = seal(cjson), math = seal(math), redis = seal(redis),
  string = seal(string), struct = seal(struct), table = seal(table),
}
getmetatable('').__metatable = false

local withheld = {}
for name in string.gmatch('cmsgpack os io load loadstring loadfile dofile require package '
    .. 'debug ffi jit coroutine getfenv setfenv collectgarbage newproxy print module gcinfo',
    '%a+') do
  withheld[name] = true
end
setmetatable(globals, {__index = function(_, name)
  if withheld[name] then
    error(format("'%s' is not available where rlctl runs the script itself", name), 2)
  end
  error(format("there is no global variable '%s'", tostring(name)), 2)
end})

return {__index = globals, __metatable = false, __newindex = function(_, name)
  error(format("a script can't set the global variable '%s': make it local", tostring(name)), 2)
end}
)lua";

int push_sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return luaL_error(lua, "redis.sha1hex wants one argument");
  {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua, 1, &size);
    const std::string digest = script_sha1(text == nullptr ? "" : std::string_view(text, size));
    lua_pushlstring(lua, digest.data(), digest.size());
  }
  return 1;
}

// From here on it counts as much as all instructions between two checks of the limits.
constexpr double kManyMatchSteps = 1e5;

int can_take_long(lua_State* lua) {
  const double steps = match_steps_asked_for(lua);
  if (steps > kManyMatchSteps && lua_gethookmask(lua) != 0)
    lua_sethook(lua, lua_gethook(lua), lua_gethookmask(lua), 1);
  lua_pushboolean(lua, steps > kMostMatchSteps);
  return 1;
}

void call_global(lua_State* lua, const char* library, const char* function, double argument) {
  lua_getglobal(lua, library);
  lua_getfield(lua, -1, function);
  lua_pushnumber(lua, argument);
  lua_call(lua, 1, 0);
  lua_pop(lua, 1);
}

}  // namespace

void open_library(lua_State* lua, int (*open)(lua_State*), const char* name) {
  lua_pushcfunction(lua, open);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

void open_sandbox(lua_State* lua, std::uint64_t seed) {
  // The JIT is off: compiled traces do not count instructions, so an endless loop would never stop.
  luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  open_library(lua, luaopen_base, "");
  open_library(lua, luaopen_math, LUA_MATHLIBNAME);
  open_library(lua, luaopen_string, LUA_STRLIBNAME);
  open_library(lua, luaopen_table, LUA_TABLIBNAME);
  bound_patterns(lua, can_take_long);
  open_library(lua, luaopen_bit, LUA_BITLIBNAME);
  call_global(lua, LUA_MATHLIBNAME, "randomseed",
              static_cast<double>(seed % (std::uint64_t{1} << 53)));
  if (luaL_loadbuffer(lua, kSandbox.data(), kSandbox.size(), "=sandbox") != 0)
    throw std::logic_error(lua_tostring(lua, -1));
  lua_pushcfunction(lua, push_sha1hex);
  lua_pushcfunction(lua, luaopen_cjson);
  lua_call(lua, 0, 1);
  lua_getglobal(lua, LUA_BITLIBNAME);
  open_struct(lua);
  lua_call(lua, 4, 1);
}

}  // namespace rlctl
