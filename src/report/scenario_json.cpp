#include "report/scenario_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/words.h"
#include "report/simulate_text.h"
#include "report/verify_json.h"

namespace rlctl {
namespace {

Json word_or_null(const std::optional<VerdictKind>& verdict) {
  return verdict ? Json(name_of(*verdict)) : Json(nullptr);
}

Json phase_json(const Scenario& scenario, const PhaseResult& phase) {
  Json json{{"name", scenario.phases[phase.phase].name},
            {"policy", scenario.policies[scenario.phases[phase.phase].policy].name}};
  put_phase_counts(json, phase);
  return json;
}

Json expectation_json(const Scenario& scenario, const ExpectationResult& result) {
  const Expectation& expectation = scenario.expectations[result.expectation];
  Json json;
  put_bytes(json, "that", expectation.text);
  if (!expectation.why.empty()) put_bytes(json, "why", expectation.why);
  json["result"] = name_of(result.held);
  json["measured"] = result.measured;
  json["line"] = expectation.place.line;
  json["column"] = expectation.place.column;
  return json;
}

// The judged log of each policy, in the same form as in verify's JSON.
Json policies_json(const Scenario& scenario, const ScenarioResult& result) {
  Json list = Json::array();
  VerifyResult all = as_verified(result);
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    VerifyResult one;
    one.histories.push_back(std::move(all.histories[i]));
    Json json{{"name", scenario.policies[result.policies[i].policy].name}};
    json.update(verify_json(one));
    for (const char* about_files : {"lines", "bad_lines", "bad_line_examples"})
      json.erase(about_files);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json scenario_json(const Scenario& scenario, const ScenarioResult& result) {
  Json json;
  put_bytes(json, "name", scenario.name);
  put_bytes(json, "file", scenario.file);
  json["outcome"] = name_of(result.outcome);
  json["exit"] = static_cast<int>(exit_of(result));
  json["command"] = result.command;
  json["clock"] = name_of(scenario.clock);
  json["seed"] = result.seed;
  json["run_id"] = result.run_id;
  json["duration_us"] = result.duration_us;
  json["complete"] = !result.is_cut_short() && !result.problem;
  json["interrupted"] = result.interrupted;
  json["expected"] = {{"verdict", word_or_null(scenario.verdict)},
                      {"own_contract", word_or_null(scenario.own_contract)}};
  const VerdictFound found = verdict_found(scenario, result);
  json["found"] = {{"verdict", name_of(found.verdict)},
                   {"own_contract", word_or_null(found.own_contract)},
                   {"reason", found.reason}};
  json["problem"] = result.problem ? Json(result.problem->what()) : Json(nullptr);
  json["too_late"] = result.too_late;
  json["reasons"] = result.reasons;
  json["notes"] = result.notes;
  json["policies"] = policies_json(scenario, result);
  json["phases"] = Json::array();
  for (const PhaseResult& phase : result.phases)
    json["phases"].push_back(phase_json(scenario, phase));
  json["expectations"] = Json::array();
  for (const ExpectationResult& expectation : result.expectations)
    json["expectations"].push_back(expectation_json(scenario, expectation));
  return json;
}

void put_phase_counts(nlohmann::ordered_json& json, const PhaseResult& phase) {
  json["started_us"] = phase.started_us;
  json["ended_us"] = phase.ended_us;
  json["offered"] = phase.offered;
  json["allowed"] = phase.allowed;
  json["denied"] = phase.denied;
  json["unknown"] = phase.unknown;
  json["failed"] = phase.failed;
  json["late"] = phase.late;
  json["dropped"] = phase.dropped;
  json["completed"] = phase.completed;
}

}  // namespace rlctl
