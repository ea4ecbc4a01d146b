// The slot of a key in a Redis Cluster. Pure, any thread.
//
// Source: Redis Cluster specification, "Key distribution model" and "Hash tags"
// (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/): CRC16 (XMODEM) of
// the key, or of what stands between the first '{' and the first '}' after it, if that is not
// empty; modulo 16384.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

inline constexpr std::uint16_t kSlots = 16384;

// The part of the key that decides: its hash tag, or all of it.
std::string_view hashed_part(std::string_view key);

std::uint16_t slot_of(std::string_view key);

// The key with a hash tag around it, if it has none: what is made of it by adding text at its ends
// is then in the same slot.
std::string in_hash_tag(std::string_view key);

}  // namespace rlctl
