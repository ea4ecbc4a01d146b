// Whether the name of a key speaks of a client: `rl:{203.0.113.7}.tokens` speaks of 203.0.113.7,
// `rl:203.0.113.70` does not. Pure; bytes in, bytes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

enum class Mention : std::uint8_t {
  none,
  in_longer_name,  // only as a part of another name: `alice` in `rl:alice-smith`
  whole,
};

Mention mention_of(std::string_view key, std::string_view client);

// The text, and the other ways in which limiters write it: the shortest form of an address, and
// what rlctl puts for <ip> and <user>.
std::vector<std::string> forms_of_client(const std::string& text);

bool is_address(std::string_view text);

}  // namespace rlctl
