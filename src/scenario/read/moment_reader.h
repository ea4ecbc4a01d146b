// Points of a scenario's time as its file writes them: "10s" after its start, "mixed" when that
// phase starts, "mixed+10s". Pure; what is wrong goes into the fields' problems.
#pragma once

#include <span>
#include <string_view>

#include "base/object_fields.h"
#include "scenario/scenario.h"

namespace rlctl {

// `phases`: those that may be named.
Moment read_moment(ObjectFields& fields, std::string_view name, std::span<const Phase> phases);

}  // namespace rlctl
