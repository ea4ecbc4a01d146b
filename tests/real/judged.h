// Plays traffic against real limiters as a scenario of `rlctl run`, and reads what it says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rlctl::test {

using Json = nlohmann::json;

// Eight users of one client, as fast as they can.
Json flood(const std::string& duration);
// So many requests at each of these times.
Json bursts(const std::vector<std::pair<std::string, int>>& bursts);

// The judged policy of one phase of this traffic against services that decide together. The policy
// is the one that their owner would write; nothing was asked before.
// `held_at_least`: how long the services are known to work on an admitted request. `target`: more
// members of the target.
Json judged(const std::string& rules, const std::vector<std::string>& urls, Json phase,
            const std::string& held_at_least = "0s", const Json& target = Json::object());

}  // namespace rlctl::test
