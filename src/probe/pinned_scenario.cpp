#include "probe/pinned_scenario.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

// After a rest, in which everything before is forgotten, more than the limit at once; then when
// half of it, all of it and twice of it is over.
Json bursts_of(const Hypothesis& found) {
  Json bursts = Json::array();
  for (const int percent : {220, 270, 328, 436}) {
    const std::int64_t at_us = found.filled_us() * percent / 100 / 1'000 * 1'000;
    bursts.push_back({{"at", format_duration(at_us)}, {"count", found.limit_high + 5}});
  }
  return bursts;
}

}  // namespace

std::string pinned_scenario(const Hypothesis& found, const TargetSpec& spec) {
  const std::string rules = rules_text(rules_of(found));
  if (found.is_counter())
    throw Error(Exit::inconclusive,
                "--scenario: nothing was written: no rule of a policy describes an " + found.name(),
                "write the scenario with a budget for its error, by hand");
  Json target{{"kind", "http"}, {"url", spec.url}};
  if (!spec.domain.empty()) target["domain"] = spec.domain;
  for (const RlsDescriptor& descriptor : spec.descriptors) {
    Json& entries = target["descriptors"].emplace_back(Json::object());
    for (const auto& [key, value] : descriptor) entries[key] = value;
  }
  const Json scenario{
      {"name", "pinned"},
      {"description", "What `rlctl probe` found: " + rules},
      {"clock", "wall"},
      {"verdict", "holds"},
      {"target", target},
      {"policies",
       {{"found", {{"rules", rules}, {"key", "<ip>"}, {"fresh", true}, {"tolerance", "20ms"}}}}},
      {"identities", {{"probe", {{"ip", "198.51.100.1"}}}}},
      {"phases", Json::array({{{"name", "bursts"},
                               {"policy", "found"},
                               {"who", "probe"},
                               {"bursts", bursts_of(found)}}})}};
  return scenario.dump(2) + "\n";
}

}  // namespace rlctl
