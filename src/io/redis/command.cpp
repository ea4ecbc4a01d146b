#include "io/redis/command.h"

#include <charconv>

namespace rlctl {
namespace {

void append_length(std::string& wire, char kind, std::size_t length) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, length).ptr;
  wire += kind;
  wire.append(digits, end);
  wire += "\r\n";
}

template <typename Args>
std::string encode(const Args& args) {
  std::string wire;
  append_array(wire, args.size());
  for (const auto& arg : args) append_bulk(wire, arg);
  return wire;
}

}  // namespace

void append_bulk(std::string& wire, std::string_view bytes) {
  append_length(wire, '$', bytes.size());
  wire += bytes;
  wire += "\r\n";
}

void append_array(std::string& wire, std::size_t count) { append_length(wire, '*', count); }

std::string encode_command(std::span<const std::string_view> args) { return encode(args); }
std::string encode_command(std::span<const std::string> args) { return encode(args); }

}  // namespace rlctl
