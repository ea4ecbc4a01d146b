// An Inspection as text for people and as JSON. Pure; everything read from Redis is escaped.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inspect/inspection.h"

namespace rlctl {

// Several lines, each with its newline. Shows `most_entries` of each log, newest last.
std::string to_text(const Inspection& inspection, const InspectionOptions& options,
                    bool idle_disturbed);

// What one key holds, in a line: "number 37, expires in 12.0 s".
std::string in_words(const KeyState& state, const KeyReading& reading);

nlohmann::ordered_json to_json(const Inspection& inspection, const InspectionOptions& options);

}  // namespace rlctl
