// HTTP/2 frames by hand, as a server sends them. Fields are literals without an index, so that no
// table of HPACK is needed; no name or value is longer than 126 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlctl::test {

inline constexpr int kEndStream = 1;
inline constexpr int kEndHeaders = 4;

inline std::string big_endian(std::uint32_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
  return text;
}

inline std::string frame(int type, int flags, std::uint32_t stream, std::string_view payload) {
  return big_endian(static_cast<std::uint32_t>(payload.size()), 3) + static_cast<char>(type) +
         static_cast<char>(flags) + big_endian(stream, 4) + std::string(payload);
}

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string encoded(const Fields& fields) {
  std::string block;
  for (const auto& [name, value] : fields) {
    block += '\0';
    block += static_cast<char>(name.size()) + name;
    block += static_cast<char>(value.size()) + value;
  }
  return block;
}

inline std::string data(std::uint32_t stream, std::string_view bytes, int flags = 0) {
  return frame(0, flags, stream, bytes);
}
inline std::string headers(std::uint32_t stream, const Fields& fields, int flags = 0) {
  return frame(1, flags | kEndHeaders, stream, encoded(fields));
}
inline std::string reset(std::uint32_t stream, std::uint32_t error) {
  return frame(3, 0, stream, big_endian(error, 4));
}
// SETTINGS: SETTINGS_MAX_CONCURRENT_STREAMS, or none.
inline std::string settings() { return frame(4, 0, 0, ""); }
inline std::string settings(std::uint32_t most_streams) {
  return frame(4, 0, 0, big_endian(3, 2) + big_endian(most_streams, 4));
}
inline std::string go_away(std::uint32_t last_stream, std::uint32_t error) {
  return frame(7, 0, 0, big_endian(last_stream, 4) + big_endian(error, 4));
}

}  // namespace rlctl::test
