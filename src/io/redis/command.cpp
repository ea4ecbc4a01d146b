#include "io/redis/command.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace rlctl {
namespace {

// In one piece: a command has many lengths, and each append costs more than its bytes.
void append_length(std::string& wire, char kind, std::size_t length) {
  char line[24] = {kind};
  char* end = std::to_chars(line + 1, line + sizeof line - 2, length).ptr;
  *end++ = '\r';
  *end++ = '\n';
  wire.append(line, static_cast<std::size_t>(end - line));
}

// Room for the bytes and for the lengths before them: one allocation for a command.
template <typename Args>
std::string encode(const Args& args) {
  constexpr std::size_t kPerArgument = 16;
  std::size_t size = kPerArgument;
  for (const auto& arg : args) size += kPerArgument + arg.size();
  std::string wire;
  wire.reserve(size);
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

CommandWords::CommandWords(std::string_view wire) : rest_(wire) { take_length(); }

// "*3\r\n" or "$5\r\n" -> the number.
std::size_t CommandWords::take_length() {
  std::size_t length = 0;
  std::size_t at = 1;
  for (; at < rest_.size() && is_digit(rest_[at]); ++at)
    length = 10 * length + static_cast<std::size_t>(rest_[at] - '0');
  rest_.remove_prefix(std::min(at + 2, rest_.size()));
  return length;
}

std::string_view CommandWords::next() {
  if (rest_.empty()) return {};
  const std::size_t length = take_length();
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 2, rest_.size()));
  return word;
}

}  // namespace rlctl
