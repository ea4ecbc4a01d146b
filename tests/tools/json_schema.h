// The part of JSON Schema (draft 2020-12) that the schema of scenarios and those of results use. An
// unknown keyword is a failure, so that the schema can't contain rules that are not tested.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rlctl {

// Why `value` does not obey, as "POINTER: what"; "" when it does.
std::string schema_violation(const nlohmann::json& root, const nlohmann::json& value);

}  // namespace rlctl
