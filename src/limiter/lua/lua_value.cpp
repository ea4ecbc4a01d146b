#include "limiter/lua/lua_value.h"

#include <algorithm>
#include <limits>
#include <lua.hpp>
#include <utility>

namespace rlctl {
namespace {

constexpr int kMostDepth = 100;
// A few tables that contain each other can expand to a reply of unlimited size.
constexpr std::int64_t kMostElements = 1'000'000;

Reply text_reply(Reply::Type type, std::string text) {
  Reply reply;
  reply.type = type;
  reply.text = std::move(text);
  return reply;
}

Reply integer_reply(double value) {
  Reply reply;
  reply.type = Reply::Type::integer;
  // Out-of-range values are converted as x86 does it; in C++ that is undefined.
  reply.integer = value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value)
                                                     : std::numeric_limits<std::int64_t>::min();
  return reply;
}

std::string text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const text = lua_tolstring(lua, index, &size);
  return {text, size};
}

// The field `name` of the table on top of the stack, if it is a string.
bool string_field(lua_State* lua, const char* name, std::string& text) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  const bool found = lua_type(lua, -1) == LUA_TSTRING;
  if (found) text = text_at(lua, -1);
  lua_pop(lua, 1);
  return found;
}

// A status must be one line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

class Converter {
 public:
  explicit Converter(lua_State* lua) : lua_(lua) {}

  // Pops the value on top of the stack.
  Reply pop(int depth) {
    Reply reply = convert(depth);
    lua_pop(lua_, 1);
    return reply;
  }
  bool too_large() const { return too_large_; }

 private:
  Reply convert(int depth) {
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        return text_reply(Reply::Type::string, text_at(lua_, -1));
      case LUA_TNUMBER:
        return integer_reply(lua_tonumber(lua_, -1));
      case LUA_TBOOLEAN:
        return lua_toboolean(lua_, -1) != 0 ? integer_reply(1) : Reply{};
      case LUA_TTABLE:
        return convert_table(depth);
      default:
        return {};
    }
  }

  Reply convert_table(int depth) {
    too_large_ = too_large_ || depth > kMostDepth || lua_checkstack(lua_, 4) == 0;
    if (too_large_) return {};
    std::string text;
    if (string_field(lua_, "err", text)) return error_reply(on_one_line(std::move(text)));
    if (string_field(lua_, "ok", text))
      return text_reply(Reply::Type::status, on_one_line(std::move(text)));
    Reply reply;
    reply.type = Reply::Type::array;
    for (int i = 1; !too_large_; ++i) {
      lua_rawgeti(lua_, -1, i);
      if (lua_isnil(lua_, -1)) {
        lua_pop(lua_, 1);
        break;
      }
      too_large_ = ++elements_ > kMostElements;
      reply.elements.push_back(pop(depth + 1));
    }
    return reply;
  }

  lua_State* lua_;
  std::int64_t elements_ = 0;
  bool too_large_ = false;
};

}  // namespace

void push_reply(lua_State* lua, const Reply& reply) {
  luaL_checkstack(lua, 3, "a reply is nested too deeply");
  switch (reply.type) {
    case Reply::Type::integer:
      lua_pushnumber(lua, static_cast<lua_Number>(reply.integer));
      return;
    case Reply::Type::string:
      lua_pushlstring(lua, reply.text.data(), reply.text.size());
      return;
    case Reply::Type::nil:
      lua_pushboolean(lua, 0);
      return;
    case Reply::Type::status:
    case Reply::Type::error:
      // Redis wraps both in a table, so that a script can tell them from a bulk string.
      lua_createtable(lua, 0, 1);
      lua_pushlstring(lua, reply.text.data(), reply.text.size());
      lua_setfield(lua, -2, reply.is_error() ? "err" : "ok");
      return;
    case Reply::Type::array:
      lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        push_reply(lua, reply.elements[i]);
        lua_rawseti(lua, -2, static_cast<int>(i + 1));
      }
  }
}

Reply reply_from(lua_State* lua, int index) {
  Converter converter(lua);
  lua_pushvalue(lua, index);
  Reply reply = converter.pop(0);
  if (converter.too_large()) return error_reply("ERR the script's reply is too large or too deep");
  return reply;
}

Reply error_reply(std::string text) { return text_reply(Reply::Type::error, std::move(text)); }

}  // namespace rlctl
