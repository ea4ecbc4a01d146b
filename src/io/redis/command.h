// Commands on the wire (RESP2 arrays of bulk strings): written and read. Pure, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rlctl {

// Appends "$<size>\r\n<bytes>\r\n".
void append_bulk(std::string& wire, std::string_view bytes);

// Appends "*<count>\r\n": that many bulk strings must follow.
void append_array(std::string& wire, std::size_t count);

std::string encode_command(std::span<const std::string_view> args);
std::string encode_command(std::span<const std::string> args);

// encode_command("SET", key, value). Not an initializer list: g++ 12 can't have one inside
// co_await.
template <typename... Args>
std::string encode_command(std::string_view name, const Args&... args) {
  const std::string_view all[] = {name, args...};
  return encode_command(std::span<const std::string_view>(all));
}

// The words of one command on the wire, one after the other, where they stand.
class CommandWords {
 public:
  explicit CommandWords(std::string_view wire);
  // Empty after the last one.
  std::string_view next();

 private:
  std::size_t take_length();

  std::string_view rest_;
};

}  // namespace rlctl
