// As much of JSON Schema (draft 2020-12) as scenarios/scenario.schema.json uses; a keyword it does
// not know is a failure, so that the schema can't say what is not tested.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rlctl {

// Why `value` does not obey, as "POINTER: what"; "" when it does.
std::string schema_violation(const nlohmann::json& root, const nlohmann::json& value);

}  // namespace rlctl
