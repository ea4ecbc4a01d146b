#include "plan/changes.h"

#include <set>

namespace rlctl {
namespace {

void add_changes(const PolicyPlan& of, const PolicyPlan& but, bool newly,
                 std::vector<ClientChange>& changes) {
  std::set<std::uint32_t> known;
  for (const ClientPlan& client : but.hit) known.insert(client.client);
  for (const ClientPlan& client : of.hit)
    if (!known.contains(client.client)) changes.push_back({newly, client});
}

}  // namespace

std::vector<ClientChange> changes(const PolicyPlan& current, const PolicyPlan& planned) {
  std::vector<ClientChange> all;
  add_changes(planned, current, true, all);
  add_changes(current, planned, false, all);
  return all;
}

}  // namespace rlctl
