#include "limiter/cjson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lua.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace rlctl {
namespace {

using Json = nlohmann::json;

constexpr int kMostDepth = 1'000;
// A table with more holes than this is a mistake, not an array.
constexpr double kMostHoles = 2;
constexpr double kNeverSparse = 10;

class Encoder {
 public:
  explicit Encoder(lua_State* lua) : lua_(lua) {}

  // Encodes the value on top of the stack and leaves it there. False: see problem().
  bool encode(int depth = 0) {
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        append_string(text_on_top());
        return true;
      case LUA_TNUMBER:
        return append_number(lua_tonumber(lua_, -1));
      case LUA_TBOOLEAN:
        text_ += lua_toboolean(lua_, -1) != 0 ? "true" : "false";
        return true;
      case LUA_TNIL:
        text_ += "null";
        return true;
      case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(lua_, -1) != nullptr) break;
        text_ += "null";
        return true;
      case LUA_TTABLE:
        return encode_table(depth);
    }
    return fail(std::string("cjson.encode: JSON can't hold a ") + luaL_typename(lua_, -1));
  }

  const std::string& text() const { return text_; }
  const std::string& problem() const { return problem_; }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  std::string_view text_on_top() const {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua_, -1, &size);
    return {text, size};
  }

  bool append_number(double value) {
    if (!std::isfinite(value)) return fail("cjson.encode: a number is not finite");
    text_ += fmt::format("{:.14g}", value);
    return true;
  }

  // Bytes above 0x7e are not changed, valid UTF-8 or not: the text is the script's own.
  void append_string(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const auto at = std::string_view("\b\t\n\f\r\"\\/").find(c);
      if (at != std::string_view::npos)
        (text_ += '\\') += "btnfr\"\\/"[at];
      else if (byte < 0x20 || byte == 0x7f)
        text_ += fmt::format("\\u{:04x}", byte);
      else
        text_ += c;
    }
    text_ += '"';
  }

  // The length of the table as an array; 0 if it is an object, or empty.
  double array_length(double& entries) const {
    double length = 0;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      const double key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
      if (key < 1 || key != std::floor(key)) {
        lua_pop(lua_, 2);
        return 0;
      }
      length = std::max(length, key);
      entries += 1;
      lua_pop(lua_, 1);
    }
    return length;
  }

  bool encode_table(int depth) {
    if (depth >= kMostDepth || lua_checkstack(lua_, 4) == 0)
      return fail("cjson.encode: the table is nested too deeply");
    double entries = 0;
    const double length = array_length(entries);
    if (length == 0) return encode_object(depth);
    if (length > entries * kMostHoles && length > kNeverSparse)
      return fail("cjson.encode: the array has too many holes");
    for (int i = 1; i <= static_cast<int>(length); ++i) {
      text_ += i == 1 ? '[' : ',';
      lua_rawgeti(lua_, -1, i);
      const bool good = encode(depth + 1);
      lua_pop(lua_, 1);
      if (!good) return false;
    }
    text_ += ']';
    return true;
  }

  bool encode_object(int depth) {
    char before = '{';
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      text_ += std::exchange(before, ',');
      const bool good = append_key() && encode(depth + 1);
      lua_pop(lua_, good ? 1 : 2);
      if (!good) return false;
    }
    text_ += before == '{' ? "{}" : "}";
    return true;
  }

  // lua_tolstring must not be used on a numeric key: it would change the key and confuse lua_next.
  bool append_key() {
    const int type = lua_type(lua_, -2);
    if (type == LUA_TNUMBER) {
      append_string(fmt::format("{:.14g}", lua_tonumber(lua_, -2)));
    } else if (type == LUA_TSTRING) {
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua_, -2, &size);
      append_string({text, size});
    } else {
      return fail("cjson.encode: a key must be a string or a number");
    }
    text_ += ':';
    return true;
  }

  lua_State* lua_;
  std::string text_;
  std::string problem_;
};

// False if it is nested too deeply; the caller must then discard the stack.
bool push_json(lua_State* lua, const Json& json, int depth = 0) {
  if (depth > kMostDepth || lua_checkstack(lua, 4) == 0) return false;
  if (json.is_object()) {
    lua_createtable(lua, 0, static_cast<int>(json.size()));
    for (const auto& [key, value] : json.items()) {
      lua_pushlstring(lua, key.data(), key.size());
      if (!push_json(lua, value, depth + 1)) return false;
      lua_rawset(lua, -3);
    }
  } else if (json.is_array()) {
    lua_createtable(lua, static_cast<int>(json.size()), 0);
    int i = 0;
    for (const Json& element : json) {
      if (!push_json(lua, element, depth + 1)) return false;
      lua_rawseti(lua, -2, ++i);
    }
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    lua_pushlstring(lua, text.data(), text.size());
  } else if (json.is_boolean()) {
    lua_pushboolean(lua, json.get<bool>() ? 1 : 0);
  } else if (json.is_number()) {
    lua_pushnumber(lua, json.get<double>());
  } else {
    lua_pushlightuserdata(lua, nullptr);
  }
  return true;
}

// Each pushes its result, or a message and returns false: all destructors must have run before
// lua_error.
bool encode_argument(lua_State* lua) {
  Encoder encoder(lua);
  const bool good = encoder.encode();
  const std::string& text = good ? encoder.text() : encoder.problem();
  lua_pushlstring(lua, text.data(), text.size());
  return good;
}

bool decode_argument(lua_State* lua) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  const Json json = Json::parse(text, text + size, nullptr, false);
  if (!json.is_discarded() && push_json(lua, json)) return true;
  lua_settop(lua, 1);
  lua_pushstring(lua, json.is_discarded() ? "cjson.decode: the text is not JSON"
                                          : "cjson.decode: the text is nested too deeply");
  return false;
}

template <bool (*Convert)(lua_State*)>
int converted(lua_State* lua) {
  if (lua_gettop(lua) != 1) return luaL_error(lua, "cjson needs one argument");
  return Convert(lua) ? 1 : lua_error(lua);
}

}  // namespace

void push_cjson(lua_State* lua) {
  lua_createtable(lua, 0, 3);
  lua_pushcfunction(lua, converted<encode_argument>);
  lua_setfield(lua, -2, "encode");
  lua_pushcfunction(lua, converted<decode_argument>);
  lua_setfield(lua, -2, "decode");
  lua_pushlightuserdata(lua, nullptr);
  lua_setfield(lua, -2, "null");
}

}  // namespace rlctl
