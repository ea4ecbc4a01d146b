// Whole numbers as bytes, small ones short: seven bits in each byte, the lowest first. Signed
// numbers near zero are small too (zigzag). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

inline void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) bytes.push_back(static_cast<char>(number | 0x80U));
  bytes.push_back(static_cast<char>(number));
}

// Removes it from the front of `bytes`, which are those of append_varint().
inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t number = 0;
  std::size_t at = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  bytes.remove_prefix(at);
  return number;
}

// The way from one number to another; it may wrap, and leads back to the same one.
inline std::uint64_t zigzag(std::int64_t from, std::int64_t to) {
  const std::uint64_t step = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return (step << 1U) ^ (0 - (step >> 63U));
}
inline std::int64_t after_zigzag(std::int64_t from, std::uint64_t way) {
  const std::uint64_t step = (way >> 1U) ^ (0 - (way & 1U));
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + step);
}

}  // namespace rlctl
