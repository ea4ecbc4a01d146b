// The clocks of the machines that played the parts of a run, as the server's times show them.
//
// A stamp that was taken between `sent` and `received` bounds the difference between the server's
// clock and the machine's (verdict/algorithm/clock_offset.h). Two machines that bound it by ranges
// without a common point have clocks that differ: then the times of the one are moved to the clock
// of the other. The decisions keep the server's stamps; a request without one gets a wider
// interval, by what remains unknown. Without stamps (over HTTP), the Date headers of the answers
// bound it, which each machine wrote to the end of its log. Pure.
#pragma once

#include <cstddef>
#include <map>
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

// By part: Log::server_ahead of its machine.
using DatedClocks = std::map<std::string, ClockRange>;

// Returns sentences on what was moved, what is taken to agree, and how exact that is. Does nothing
// to the log of one machine.
std::vector<std::string> align_clocks(std::span<const PartStart> starts, const DatedClocks& dated,
                                      Log& log);

}  // namespace rlctl
