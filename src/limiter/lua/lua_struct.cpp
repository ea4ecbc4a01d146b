#include "limiter/lua/lua_struct.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lua.hpp>

// A Lua error leaves these functions by a jump, so nothing in them may need a destructor.

namespace rlctl {
namespace {

constexpr std::size_t kMostIntegerBytes = 8;
constexpr std::size_t kMostAlignment = 8;

enum class Item : std::uint8_t { integer, single, twofold, padding, bytes, text, control };

// One letter of a format, with the number that may follow it.
struct Option {
  Item item = Item::control;
  std::size_t size = 0;
  bool is_signed = false;
};

class Format {
 public:
  Format(lua_State* lua, const char* text) : lua_(lua), next_(text) {}

  bool has_ended() const { return *next_ == '\0'; }
  bool is_little() const { return little_; }

  // Takes the next letter. A control letter takes effect at once.
  Option next() {
    const char letter = *next_++;
    switch (letter) {
      case 'b':
      case 'B':
        return integer(letter, 1);
      case 'h':
      case 'H':
        return integer(letter, sizeof(short));
      case 'l':
      case 'L':
        return integer(letter, sizeof(long));
      case 'T':
        return integer(letter, sizeof(std::size_t));
      case 'i':
      case 'I':
        return integer(letter, checked(number(sizeof(int))));
      case 'f':
        return {Item::single, sizeof(float)};
      case 'd':
        return {Item::twofold, sizeof(double)};
      case 'x':
        return {Item::padding, 1};
      case 'c':
        return {Item::bytes, number(1)};
      case 's':
        return {Item::text};
      default:
        control(letter);
        return {};
    }
  }

  // The bytes before an item at this offset.
  std::size_t padding(std::size_t offset, const Option& option) const {
    if (option.size == 0 || option.item == Item::bytes) return 0;
    const std::size_t unit = std::min(option.size, alignment_);
    return (unit - (offset & (unit - 1))) & (unit - 1);
  }

 private:
  static Option integer(char letter, std::size_t size) {
    return {Item::integer, size, letter >= 'a' && letter <= 'z'};
  }

  std::size_t number(std::size_t otherwise) {
    if (*next_ < '0' || *next_ > '9') return otherwise;
    std::size_t value = 0;
    for (; *next_ >= '0' && *next_ <= '9'; ++next_) {
      if (value > INT32_MAX / 10 - 1) luaL_error(lua_, "integral size overflow");
      value = value * 10 + static_cast<std::size_t>(*next_ - '0');
    }
    return value;
  }

  std::size_t checked(std::size_t size) const {
    if (size < 1 || size > kMostIntegerBytes)
      luaL_error(lua_, "integral size %d is larger than limit of %d", static_cast<int>(size),
                 static_cast<int>(kMostIntegerBytes));
    return size;
  }

  void control(char letter) {
    if (letter == '<' || letter == '>') {
      little_ = letter == '<';
    } else if (letter == '!') {
      alignment_ = number(kMostAlignment);
      if (!std::has_single_bit(alignment_)) luaL_error(lua_, "alignment is not a power of 2");
    } else if (letter != ' ') {
      luaL_argerror(lua_, 1, lua_pushfstring(lua_, "invalid format option '%c'", letter));
    }
  }

  lua_State* lua_;
  const char* next_;
  bool little_ = std::endian::native == std::endian::little;
  std::size_t alignment_ = 1;
};

// Copies `size` bytes that are in this machine's order.
void add_ordered(luaL_Buffer& out, const void* value, std::size_t size, bool little) {
  char bytes[sizeof(std::uint64_t)] = {};
  std::memcpy(bytes, value, size);
  if (little != (std::endian::native == std::endian::little)) std::reverse(bytes, bytes + size);
  luaL_addlstring(&out, bytes, size);
}

// A number that no integer of 64 bits holds becomes what x86 makes of it.
std::uint64_t bits_of(double number) {
  if (number >= 0 && number < 0x1p64) return static_cast<std::uint64_t>(number);
  if (number < 0 && number >= -0x1p63)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  return std::uint64_t{1} << 63;
}

void add_integer(luaL_Buffer& out, double number, std::size_t size, bool little) {
  const std::uint64_t value = bits_of(number);
  char bytes[kMostIntegerBytes];
  for (std::size_t i = 0; i < size; ++i)
    bytes[little ? i : size - 1 - i] = static_cast<char>(value >> (8 * i));
  luaL_addlstring(&out, bytes, size);
}

// Returns how many bytes were added.
std::size_t add_text(lua_State* lua, luaL_Buffer& out, int argument, const Option& option) {
  std::size_t length = 0;
  const char* const text = luaL_checklstring(lua, argument, &length);
  const std::size_t size = option.size == 0 ? length : option.size;
  luaL_argcheck(lua, length >= size, argument, "string too short");
  luaL_addlstring(&out, text, size);
  if (option.item == Item::text) luaL_addchar(&out, '\0');
  return size + (option.item == Item::text ? 1 : 0);
}

int pack(lua_State* lua) {
  Format format(lua, luaL_checkstring(lua, 1));
  int argument = 2;
  std::size_t total = 0;
  luaL_Buffer out;
  lua_pushnil(lua);  // an argument too few is not part of the buffer
  luaL_buffinit(lua, &out);
  while (!format.has_ended()) {
    const Option option = format.next();
    std::size_t size = option.size;
    for (std::size_t rest = format.padding(total, option); rest > 0; --rest, ++total)
      luaL_addchar(&out, '\0');
    if (option.item == Item::integer) {
      add_integer(out, luaL_checknumber(lua, argument++), size, format.is_little());
    } else if (option.item == Item::single) {
      const auto value = static_cast<float>(luaL_checknumber(lua, argument++));
      add_ordered(out, &value, size, format.is_little());
    } else if (option.item == Item::twofold) {
      const double value = luaL_checknumber(lua, argument++);
      add_ordered(out, &value, size, format.is_little());
    } else if (option.item == Item::padding) {
      luaL_addchar(&out, '\0');
    } else if (option.item != Item::control) {
      size = add_text(lua, out, argument++, option);
    }
    total += size;
  }
  luaL_pushresult(&out);
  return 1;
}

double integer_at(const char* data, const Option& option, bool little) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < option.size; ++i)
    value = value << 8 | static_cast<unsigned char>(data[little ? option.size - 1 - i : i]);
  if (!option.is_signed) return static_cast<double>(value);
  const std::size_t unused = 64 - 8 * option.size;
  return static_cast<double>(static_cast<std::int64_t>(value << unused) >> unused);
}

template <class Number>
double real_at(const char* data, bool little) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, data, sizeof bytes);
  if (little != (std::endian::native == std::endian::little))
    std::reverse(bytes, bytes + sizeof bytes);
  return std::bit_cast<Number>(bytes);
}

// The values of one unpack, and where the next one is.
struct Unpacking {
  lua_State* lua;
  const char* data;
  std::size_t size;
  std::size_t at;
  int values = 0;

  void require(std::size_t bytes) const {
    luaL_argcheck(lua, bytes <= size && at <= size - bytes, 2, "data string too short");
  }
  void take_number(double value) {
    lua_pushnumber(lua, value);
    ++values;
  }
  void take_text(std::size_t length) {
    lua_pushlstring(lua, data + at, length);
    ++values;
  }
};

// c0: the number before it is the length, and is not a value of its own.
std::size_t take_bytes(Unpacking& from, std::size_t length) {
  if (length == 0) {
    if (from.values == 0 || !lua_isnumber(from.lua, -1))
      luaL_error(from.lua, "format 'c0' needs a previous size");
    const double told = lua_tonumber(from.lua, -1);
    luaL_argcheck(from.lua, told >= 0 && told <= static_cast<double>(from.size), 2,
                  "data string too short");
    length = static_cast<std::size_t>(told);
    lua_pop(from.lua, 1);
    --from.values;
    from.require(length);
  }
  from.take_text(length);
  return length;
}

std::size_t take_text(Unpacking& from) {
  const char* const start = from.data + from.at;
  const void* const end = std::memchr(start, '\0', from.size - from.at);
  if (end == nullptr) luaL_error(from.lua, "unfinished string in data");
  const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - start);
  from.take_text(length);
  return length + 1;
}

int unpack(lua_State* lua) {
  Format format(lua, luaL_checkstring(lua, 1));
  std::size_t size = 0;
  const char* const data = luaL_checklstring(lua, 2, &size);
  const lua_Integer first = luaL_optinteger(lua, 3, 1);
  luaL_argcheck(lua, first > 0, 3, "offset must be 1 or greater");
  Unpacking from{lua, data, size, static_cast<std::size_t>(first - 1)};
  while (!format.has_ended()) {
    const Option option = format.next();
    from.at += format.padding(from.at, option);
    from.require(option.size);
    luaL_checkstack(lua, 2, "too many results");
    std::size_t taken = option.size;
    if (option.item == Item::integer)
      from.take_number(integer_at(data + from.at, option, format.is_little()));
    else if (option.item == Item::single)
      from.take_number(real_at<float>(data + from.at, format.is_little()));
    else if (option.item == Item::twofold)
      from.take_number(real_at<double>(data + from.at, format.is_little()));
    else if (option.item == Item::bytes)
      taken = take_bytes(from, option.size);
    else if (option.item == Item::text)
      taken = take_text(from);
    from.at += taken;
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(from.at + 1));
  return from.values + 1;
}

int size_of(lua_State* lua) {
  Format format(lua, luaL_checkstring(lua, 1));
  std::size_t total = 0;
  while (!format.has_ended()) {
    const Option option = format.next();
    total += format.padding(total, option);
    if (option.item == Item::text) luaL_argerror(lua, 1, "variable-size format in size");
    if (option.item == Item::bytes && option.size == 0)
      luaL_argerror(lua, 1, "variable-length format in size");
    total += option.size;
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(total));
  return 1;
}

}  // namespace

int open_struct(lua_State* lua) {
  lua_createtable(lua, 0, 3);
  const luaL_Reg functions[] = {{"pack", pack}, {"unpack", unpack}, {"size", size_of}};
  for (const luaL_Reg& one : functions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  return 1;
}

}  // namespace rlctl
