#include "policy/policy_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace rlctl {
namespace {

Json rule_to_json(const Rule& rule) {
  Json json{{"kind", name_of(rule.kind)}, {"limit", rule.limit}};
  if (rule.has_window()) json["window_us"] = rule.window_us;
  if (rule.row().takes_phase)
    json["phase_us"] = rule.phase_us ? Json(*rule.phase_us) : Json(nullptr);
  if (rule.row().takes_capacity) json["capacity"] = rule.capacity;
  if (rule.step_us > 0) json["step_us"] = rule.step_us;
  if (rule.lease_us > 0) json["lease_us"] = rule.lease_us;
  if (rule.counts_denied) json["counts_denied"] = true;
  if (rule.block_us > 0) json["block_us"] = rule.block_us;
  if (!rule.per.empty()) json["per"] = rule.per;
  return json;
}

}  // namespace

Json policy_to_json(const Policy& policy) {
  Json json{{"rules", rules_to_json(policy.rules)}};
  if (!policy.key.empty()) put_bytes(json, "key", policy.key);
  if (!policy.block_key.empty()) put_bytes(json, "block_key", policy.block_key);
  return json;
}

Json rules_to_json(const Rules& rules) {
  Json list = Json::array();
  for (const Rule& rule : rules) list.push_back(rule_to_json(rule));
  return list;
}

}  // namespace rlctl
