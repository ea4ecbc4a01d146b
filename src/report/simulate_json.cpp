#include "report/simulate_json.h"

#include "base/words.h"
#include "report/picture/timeline.h"
#include "report/scenario_json.h"
#include "report/simulate_text.h"
#include "report/verify_json.h"

namespace rlctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSlices = 1'000;

Json to_json(const Timeline& timeline) {
  Json slices = Json::array();
  for (const TimelineSlice& slice : timeline.slices)
    slices.push_back({slice.allowed, slice.denied, slice.other});
  return {{"start_us", timeline.start_us}, {"slice_us", timeline.slice_us}, {"slices", slices}};
}

Json to_json(const Scenario& scenario, const ScenarioResult& result, const PhaseResult& phase) {
  Json json{{"name", scenario.phases[phase.phase].name}};
  put_phase_counts(json, phase);
  for (const PolicyResult& policy : result.policies)
    if (policy.policy == scenario.phases[phase.phase].policy)
      json["timeline"] =
          to_json(make_timeline(policy.log, static_cast<std::uint8_t>(phase.phase), kMostSlices));
  return json;
}

}  // namespace

Json simulate_json(const Scenario& scenario, const ScenarioResult& result) {
  Json json{{"pattern", scenario.name},
            {"outcome", name_of(result.outcome)},
            {"command", result.command},
            {"expected", scenario.verdict ? Json(name_of(*scenario.verdict)) : Json(nullptr)},
            {"clock", name_of(scenario.clock)},
            {"seed", result.seed},
            {"run_id", result.run_id},
            {"duration_us", result.duration_us},
            {"interrupted", result.interrupted},
            {"complete", !result.is_cut_short() && !result.problem}};
  if (!result.policies.empty()) json.update(verify_json(as_verified(result)));
  json["phases"] = Json::array();
  for (const PhaseResult& phase : result.phases)
    json["phases"].push_back(to_json(scenario, result, phase));
  json["answers"] = pattern_answers(scenario, result);
  for (const std::string& note : result.notes) json["notes"].push_back(note);
  return json;
}

}  // namespace rlctl
