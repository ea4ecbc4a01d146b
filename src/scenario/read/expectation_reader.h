// The `expect` of a scenario file: `metric{selector=value,…} op value[unit]`, alone or with a
// "why". Selectors may be quoted ('a,b' or "a,b"). Pure; mistakes go into the context's problems.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"

namespace rlctl {

void read_expectations(const JsonValue& value, const std::string& pointer,
                       ScenarioContext& context);

}  // namespace rlctl
