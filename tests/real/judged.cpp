#include "real/judged.h"

#include <doctest/doctest.h>

#include "cli/support/process.h"
#include "tools/folder.h"

namespace rlctl::test {

Json flood(const std::string& duration) { return {{"users", 8}, {"for", duration}}; }

Json bursts(const std::vector<std::pair<std::string, int>>& bursts) {
  Json phase{{"bursts", Json::array()}};
  for (const auto& [at, count] : bursts) phase["bursts"].push_back({{"at", at}, {"count", count}});
  return phase;
}

Json judged(const std::string& rules, const std::vector<std::string>& urls, Json phase,
            const std::string& held_at_least, const Json& more) {
  const Folder folder;
  Json target{{"kind", "http"}, {"timeout", "20s"}};
  target.update(more);
  phase.update({{"name", "traffic"}, {"policy", "limit"}, {"who", "ann"}});
  // The tolerance is for servers that look at their clock late, because the machine is busy.
  folder.write("real.json", Json{{"clock", "wall"},
                                 {"verdict", "any"},
                                 {"target", target},
                                 {"policies",
                                  {{"limit",
                                    {{"rules", rules},
                                     {"key", "<ip>"},
                                     {"fresh", true},
                                     {"tolerance", "100ms"},
                                     {"held_at_least", held_at_least},
                                     {"targets", urls}}}}},
                                 {"identities", {{"ann", {{"ip", "192.0.2.1"}}}}},
                                 {"phases", {phase}},
                                 {"budget", {{"late", "100%"}}}}
                                .dump());
  const Outcome outcome = run_rlctl({"run", folder / "real.json", "--json", "--quiet"});
  INFO(outcome.err);
  const Json result = Json::parse(outcome.out);
  REQUIRE(result["scenarios"][0]["policies"].size() == 1);
  Json policy = result["scenarios"][0]["policies"][0];
  MESSAGE(rules << ": " << policy["verdict"] << ", " << policy["reason"] << "; allowed "
                << policy["totals"]["allowed"] << ", denied " << policy["totals"]["denied"]);
  return policy;
}

}  // namespace rlctl::test
