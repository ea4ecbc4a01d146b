#include <algorithm>

#include "base/stats.h"
#include "base/units.h"
#include "policy/rules_text.h"
#include "report/documents.h"

namespace rlctl {
namespace {

Number instant(std::int64_t us) { return us == kNoTime ? Number() : Number(us); }

PlannedClientDocument document_of(const PolicyPlan& policy, const ClientPlan& client) {
  return {.client = policy.names[client.client],
          .denied = name_of(client.denied),
          .requests = client.requests,
          .certain = client.certain,
          .as_stamped = client.as_stamped,
          .at_most = client.possible,
          .denied_in_log = client.denied_in_log,
          .worst = client.worst,
          .worst_at_most = client.worst_possible,
          .worst_from_us = instant(client.worst_from_us),
          .worst_to_us = instant(client.worst_to_us),
          .irregularity = client.irregularity};
}

// `worst`: of every client, ascending.
WorstWindowsDocument worst_windows_of(const PolicyPlan& policy,
                                      const std::vector<std::int64_t>& worst) {
  const auto share = [&](std::int64_t parts) { return percentile(worst, parts); };
  return {.window_us = policy.window_us(),
          .p50 = share(500'000),
          .p90 = share(900'000),
          .p99 = share(990'000),
          .p999 = share(999'000),
          .p9999 = share(999'900),
          .max = share(1'000'000)};
}

PlannedPolicyDocument document_of(const PolicyPlan& policy, std::size_t most_clients) {
  const auto clients = [&](OverAdmission denied) {
    return policy.clients[static_cast<std::size_t>(denied)];
  };
  PlannedPolicyDocument document{
      .policy = rules_text(policy.rules),
      .rules = document_of(policy.rules),
      .by = policy.by.text,
      .clients_certain = clients(OverAdmission::certain),
      .clients_possible = clients(OverAdmission::possible),
      .clients_none = clients(OverAdmission::none),
      .requests = policy.requests,
      .without_client = policy.without_client,
      .certain = policy.certain,
      .as_stamped = policy.as_stamped,
      .at_most = policy.possible,
      .denied_in_log = policy.denied_in_log,
      .worst_windows = worst_windows_of(policy, policy.worst),
      .worst_windows_at_most = worst_windows_of(policy, policy.worst_possible),
      .clients = {},
      .hours = {},
      .changes = {}};
  const std::size_t shown =
      most_clients == 0 ? policy.hit.size() : std::min(most_clients, policy.hit.size());
  for (std::size_t i = 0; i < shown; ++i)
    document.clients.push_back(document_of(policy, policy.hit[i]));
  for (const auto& [from_us, hour] : policy.hours)
    document.hours.push_back({from_us, hour.denied, hour.clients_denied});
  for (const ClientChange& change : policy.changes)
    document.changes.push_back({policy.names[change.figures.client], change.newly,
                                change.figures.requests, change.figures.certain,
                                change.figures.as_stamped, change.figures.possible});
  return document;
}

}  // namespace

PlanDocument document_of(const Plan& plan, std::size_t most_clients) {
  PlanDocument document{
      .version = {},
      .requests = plan.requests,
      .left_out = plan.left_out,
      .from_us = plan.from_us,
      .to_us = plan.to_us,
      .time_known_to_us = plan.typical_width_us,
      .has_durations = !plan.lacks_durations,
      .in_force = plan.in_force.empty() ? std::string() : rules_text(plan.in_force),
      .notes = texts_of(plan.notes),
      .policies = {}};
  for (const PolicyPlan& policy : plan.policies)
    document.policies.push_back(document_of(policy, most_clients));
  return document;
}

}  // namespace rlctl
