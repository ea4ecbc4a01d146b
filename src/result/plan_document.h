// The result of `plan` as it is published ("rlctl.plan/1"). Plain values.
#pragma once

#include <vector>

#include "result/fields.h"
#include "result/rule_document.h"

namespace rlctl {

struct PlannedClientDocument {
  static constexpr const char* kName = "planned_client";
  Text client, denied;
  Number requests, certain, as_stamped, at_most, denied_in_log, worst, worst_at_most, worst_from_us,
      worst_to_us, irregularity;
};

struct PlannedHourDocument {
  static constexpr const char* kName = "planned_hour";
  Number from_us, denied, clients;
};

struct ClientChangeDocument {
  static constexpr const char* kName = "client_change";
  Text client;
  bool newly = false;
  Number requests, certain, as_stamped, at_most;
};

struct WorstWindowsDocument {
  static constexpr const char* kName = "worst_windows";
  Number window_us, p50, p90, p99, p999, p9999, max;
};

struct PlannedPolicyDocument {
  static constexpr const char* kName = "planned_policy";
  Text policy;
  std::vector<RuleDocument> rules;
  Text by;
  Number clients_certain, clients_possible, clients_none, requests, without_client, certain,
      as_stamped, at_most, denied_in_log;
  WorstWindowsDocument worst_windows, worst_windows_at_most;
  std::vector<PlannedClientDocument> clients;
  std::vector<PlannedHourDocument> hours;
  std::vector<ClientChangeDocument> changes;  // against the policy in force
};

struct PlanDocument {
  static constexpr const char* kSchema = "rlctl.plan/1";
  Text version;
  Number requests, left_out, from_us, to_us, time_known_to_us;
  bool has_durations = false;
  Text in_force;  // empty: nothing to compare with
  std::vector<Text> notes;
  std::vector<PlannedPolicyDocument> policies;
};

void describe(Fields& fields, PlanDocument& document);

}  // namespace rlctl
