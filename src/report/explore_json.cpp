#include "report/explore_json.h"

#include <nlohmann/json.hpp>

#include "base/words.h"

namespace rlctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostExact = 9007199254740992.0;

Json count_json(const ScheduleCount& count) {
  if (count.approximately() > kMostExact) return count.digits();
  return static_cast<std::int64_t>(count.approximately());
}

Json counts_json(const ScheduleCounts& counts) {
  return {{"schedules", count_json(counts.schedules)},
          {"violating", count_json(counts.violating)},
          {"refusing", count_json(counts.refusing)},
          {"littering", count_json(counts.littering)}};
}

Json pass_json(const ExplorePass& pass) {
  Json json{{"events", pass.events}, {"coverage", name_of(pass.coverage)}};
  if (pass.coverage == Coverage::exhaustive) {
    json.update(counts_json(pass.counts));
    json["by_preemptions"] = Json::array();
    for (const ScheduleCounts& counts : pass.by_preemptions)
      json["by_preemptions"].push_back(counts_json(counts));
  } else if (pass.coverage != Coverage::replay) {
    json["preemptions_covered"] = pass.preemptions_covered;
    json["random_schedules"] = pass.random_schedules;
    json["seed"] = pass.seed;
  }
  json["runs"] = pass.runs;
  json["states"] = pass.states;
  json["steps"] = pass.steps;
  return json;
}

Json trace_json(const std::vector<TraceStep>& trace) {
  Json steps = Json::array();
  for (const TraceStep& step : trace) {
    Json json{{"kind", rlctl::name_of(step.kind)}, {"at_us", step.at_us}};
    if (step.kind <= TraceKind::crash) json["client"] = step.client;
    if (step.kind == TraceKind::decision) {
      json["outcome"] = rlctl::name_of(step.outcome);
      json["admitted"] = step.admitted;
    } else {
      json["text"] = step.text;
    }
    if (step.kind == TraceKind::command) json["reply"] = step.reply;
    if (step.tries > 1) json["tries"] = step.tries;
    if (!step.interrupted.empty()) {
      json["interrupted_client"] = step.interrupted_client;
      json["interrupted"] = step.interrupted;
    }
    if (step.breaks) json["breaks"] = true;
    steps.push_back(std::move(json));
  }
  return steps;
}

Json violation_json(const ExploreViolation& violation) {
  Json json{{"finding", name_of(violation.finding)},
            {"preemptions", violation.preemptions},
            {"steps", violation.steps},
            {"admitted", violation.admitted},
            {"replay", violation.schedule},
            {"confirmed", violation.confirmed}};
  if (!violation.doubt.empty()) json["doubt"] = violation.doubt;
  json["trace"] = trace_json(violation.trace);
  if (!violation.afterwards.empty()) {
    json["keys_without_expiry"] = violation.keys;
    json["afterwards"] = Json::array();
    for (const Outcome outcome : violation.afterwards)
      json["afterwards"].push_back(rlctl::name_of(outcome));
  }
  return json;
}

}  // namespace

nlohmann::ordered_json explore_json(const ExploreResult& result) {
  Json json{{"verdict", name_of(result.verdict)},
            {"reason", result.reason},
            {"algorithm", result.algorithm},
            {"key", result.key},
            {"clients", result.clients},
            {"run", result.on_client ? "client" : "server"},
            {"policy", {{"limit", result.policy.limit}, {"window_us", result.policy.window_us}}},
            {"contract",
             {{"kind", name_of(result.contract.kind)},
              {"limit", result.contract.limit},
              {"window_us", result.contract.window_us}}},
            {"most_admitted", result.most_admitted},
            {"least_admitted", result.least_admitted}};
  if (!result.refusing_schedule.empty()) json["refusing_schedule"] = result.refusing_schedule;
  json["passes"] = Json::array();
  for (const ExplorePass& pass : result.passes) json["passes"].push_back(pass_json(pass));
  json["violations"] = Json::array();
  for (const ExploreViolation& violation : result.violations)
    json["violations"].push_back(violation_json(violation));
  if (!result.replayed.empty()) json["trace"] = trace_json(result.replayed);
  json["command"] = result.command;
  json["notes"] = result.notes;
  if (!result.server.empty()) json["server"] = result.server;
  return json;
}

}  // namespace rlctl
