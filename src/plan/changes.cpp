#include "plan/changes.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

void add_changes(const PolicyPlan& of, const PolicyPlan& but, bool newly,
                 std::vector<ClientChange>& changes) {
  std::set<std::uint32_t> known;
  for (const ClientPlan& client : but.hit) known.insert(client.client);
  for (const ClientPlan& client : of.hit)
    if (!known.contains(client.client)) changes.push_back({newly, client});
}

std::string rules_in(const Json& policy) {
  for (const char* name : {"policy", "rules"})
    if (policy.is_object() && policy.contains(name) && policy[name].is_string())
      return policy[name].get<std::string>();
  return {};
}

}  // namespace

std::vector<ClientChange> changes(const PolicyPlan& current, const PolicyPlan& planned) {
  std::vector<ClientChange> all;
  add_changes(planned, current, true, all);
  add_changes(current, planned, false, all);
  return all;
}

Rules current_rules(std::string_view json, const std::string& file) {
  const Json document = Json::parse(json, nullptr, false, true);
  std::string rules;
  if (document.is_object() && document.contains("policies") && !document["policies"].empty())
    rules = rules_in(document["policies"].front());
  if (rules.empty())
    throw Error(Exit::usage, "--against: " + in_quotes(file) + " has no policy",
                "give the --json output of plan, or a scenario with \"rules\"");
  return parse_rules(rules, "--against " + in_quotes(file));
}

}  // namespace rlctl
