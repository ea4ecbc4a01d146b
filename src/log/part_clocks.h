// The clocks of the machines that played the parts of a run, as the server's stamps show them.
//
// A stamp that was taken between `sent` and `received` bounds the difference between the server's
// clock and the machine's (verdict/algorithm/clock_offset.h). Two machines that bound it by ranges
// without a common point have clocks that differ: then the times of the one are moved to the clock
// of the other. The decisions keep the server's stamps; a request without one gets a wider
// interval, by what remains unknown. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "log/record.h"

namespace rlctl {

// From this record on, up to that of the next entry, the records are of this part.
struct PartStart {
  std::size_t record = 0;
  std::string part;  // "2/3"
};

// Returns sentences on what was moved, or what nobody can know. Does nothing to the log of one
// machine.
std::vector<std::string> align_clocks(std::span<const PartStart> starts, Log& log);

}  // namespace rlctl
