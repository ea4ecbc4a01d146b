// A fault as text, for the command line: KIND@TIME[:VALUE], such as "redis_restart@2s:500ms". TIME
// is after the start; VALUE is the member that the kind takes (scenario/fault.h). Pure.
#pragma once

#include <string>
#include <string_view>

#include "scenario/fault.h"

namespace rlctl {

// How to write a fault of this kind: "latency@TIME:by:down[:jitter]".
std::string fault_form(const FaultRow& row);

// Error(Exit::usage) names `where`, and the words that are known or how it is written.
Fault parse_fault(std::string_view text, std::string_view where);

}  // namespace rlctl
