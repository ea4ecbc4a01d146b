// One of several machines that play a run together: part 2 of 3 sends the 2nd, 5th, 8th … event of
// the schedule, so that all of them send what one would have sent. Plain values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

struct Shard {
  std::uint32_t index = 1;  // from 1
  std::uint32_t count = 1;

  bool is_whole() const { return count == 1; }
  // Of the events of a schedule, counted from 0.
  bool takes(std::uint64_t event) const { return event % count == index - 1; }
  // How many it takes of so many.
  std::int64_t share_of(std::int64_t events) const { return (events + count - index) / count; }
  // "2/3", as logs name it.
  std::string text() const;

  bool operator==(const Shard&) const = default;
};

// "2/3". Error(Exit::usage) that names the field; at most 1,000 parts.
Shard parse_shard(std::string_view text, std::string_view field);

}  // namespace rlctl
