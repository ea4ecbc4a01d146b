// Points in time as a scenario file writes them: "10s" after its start, "mixed" when that phase
// starts, "mixed+10s". Pure; errors are added to the fields' problems.
#pragma once

#include <span>
#include <string_view>

#include "base/object_fields.h"
#include "scenario/scenario.h"

namespace rlctl {

// `phases`: the phases that may be named.
Moment read_moment(ObjectFields& fields, std::string_view name, std::span<const Phase> phases);

}  // namespace rlctl
