#include "io/redis/deployment/hash_slot.h"

#include <array>

namespace rlctl {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;

constexpr std::array<std::uint16_t, 256> make_crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? kPolynomial : 0);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr auto kCrcTable = make_crc_table();

}  // namespace

std::string_view hashed_part(std::string_view key) {
  const auto open = key.find('{');
  if (open == key.npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

std::uint16_t slot_of(std::string_view key) {
  unsigned crc = 0;
  for (const char c : hashed_part(key))
    crc = ((crc << 8) ^ kCrcTable[((crc >> 8) ^ static_cast<unsigned char>(c)) & 0xff]) & 0xffff;
  return static_cast<std::uint16_t>(crc % kSlots);
}

std::string in_hash_tag(std::string_view key) {
  if (hashed_part(key) != key) return std::string(key);
  return "{" + std::string(key) + "}";
}

}  // namespace rlctl
