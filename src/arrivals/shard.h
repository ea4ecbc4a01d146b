// One of several machines that make a run together: part 2 of 3 sends the 2nd, 5th, 8th … event of
// the schedule, so that all parts together send the whole schedule. Plain values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

struct Shard {
  std::uint32_t index = 1;  // from 1
  std::uint32_t count = 1;

  bool is_whole() const { return count == 1; }
  // True if this part sends the event. Events are numbered from 0.
  bool takes(std::uint64_t event) const { return event % count == index - 1; }
  // How many of `events` events this part sends.
  std::int64_t share_of(std::int64_t events) const { return (events + count - index) / count; }
  // "2/3", as in logs.
  std::string text() const;

  bool operator==(const Shard&) const = default;
};

// Reads "2/3"; at most 1,000 parts. Throws Error(Exit::usage) that names the field.
Shard parse_shard(std::string_view text, std::string_view field);

}  // namespace rlctl
