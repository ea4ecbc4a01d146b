#include "policy/policy_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/units.h"

namespace rlctl {

Json policy_to_json(const Policy& policy) {
  Json json{{"limit", policy.limit}, {"window_us", policy.window_us}};
  if (policy.capacity > 0) json["capacity"] = policy.capacity;
  if (policy.block_us > 0) json["block_us"] = policy.block_us;
  if (!policy.key.empty()) put_bytes(json, "key", policy.key);
  if (!policy.block_key.empty()) put_bytes(json, "block_key", policy.block_key);
  return json;
}

Json contract_to_json(const Contract& contract) {
  if (!contract.is_given()) return nullptr;
  Json json{{"kind", name_of(contract.kind)},
            {"limit", contract.limit},
            {"window_us", contract.window_us}};
  if (contract.row().takes_phase)
    json["phase_us"] = contract.phase_us ? Json(*contract.phase_us) : Json(nullptr);
  if (contract.row().takes_capacity) {
    json["capacity"] = contract.capacity;
    json["rate"] = fmt::format("{}/{}", contract.limit, format_duration(contract.window_us));
  }
  json["counts_denied"] = contract.counts_denied;
  json["block_us"] = contract.block_us;
  return json;
}

}  // namespace rlctl
