// A policy and a contract as JSON, in logs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "policy/contract.h"

namespace rlctl {

nlohmann::ordered_json policy_to_json(const Policy& policy);

// Null for a contract of kind none.
nlohmann::ordered_json contract_to_json(const Contract& contract);

}  // namespace rlctl
