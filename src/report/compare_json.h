// The result of `compare` as JSON ("rlctl.compare/1", README). Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "compare/run_comparison.h"

namespace rlctl {

// One new run against the base.
nlohmann::ordered_json comparison_json(const RunComparison& comparison,
                                       std::span<const FailCondition> conditions);

}  // namespace rlctl
