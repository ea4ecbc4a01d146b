#include "report/phase_json.h"

#include <nlohmann/json.hpp>

namespace rlctl {

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
