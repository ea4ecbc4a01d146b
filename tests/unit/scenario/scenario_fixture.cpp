#include "unit/scenario/scenario_fixture.h"

#include <doctest/doctest.h>

namespace rlctl {

std::string whole_scenario() {
  return R"json({ "$schema": "./scenario.schema.json",
  "name": "api-limiter", "seed": 42,
  "clock": "wall",                          // or "virtual"
  "verdict": "holds",
  "policies": {
    "api":    {"algo": "sliding", "limit": 20, "window": "60s", "key": "ratelimit:ip:<ip>", "block": "60s"},
    "items":  {"algo": "fixed",   "limit": 100, "window": "60s", "key": "items:<user>:ApiCounter"},
    "mine":   {"script": "mine.lua", "limit": 1, "window": "5s", "key": "rl:<user>"}
  },
  "target": {"kind": "embedded"}, /* or
     another */
  "identities": {
    "bot":    {"ip": "203.0.113.7"},
    "humans": {"count": 1000, "ip": "10.0.0.0/16", "user": "u<n>", "pick": "zipf", "skew": 1.1}
  },
  "phases": [
    {"name": "bot",      "policy": "api", "who": "bot", "rate": "30/1m", "for": "5m"},
    {"name": "boundary", "policy": "items", "who": "bot", "align": "window",
     "bursts": [{"at": "59.9s", "count": 100}, {"at": "60s", "count": 100}]},
    {"name": "double",   "policy": "mine", "who": "bot", "bursts": [{"at": "0s", "count": 2, "gap": "120ms"}]},
    {"name": "drain",    "policy": "items", "who": "bot", "consumers": 16, "items": 500, "on_deny": "retry_after"},
    {"name": "flood",    "policy": "api", "who": "humans", "users": 3000, "for": "10s", "think": "0s"},
    {"name": "mixed",    "policy": "api", "rate": "200/1s", "for": "60s", "arrivals": "poisson",
     "mix": [{"who": "humans", "weight": 95}, {"who": "bot", "weight": 5}]}
  ],
  "faults": [{"at": "mixed+10s", "do": "script_flush"}, {"at": "mixed+20s", "do": "redis_restart", "down": "2s"},
             {"at": "mixed+40s", "do": "clock_skew", "by": "+1500ms"}],
  "expect": [
    "peak{phase=bot} <= 20",
    {"that": "peak{phase=boundary} <= 100", "why": "a fixed window lets 200 through"},
    "over_admitted == 0", "false_denied{who=humans} <= 0.1%", "latency.p99{phase=mixed} < 20ms",
    "completed{phase=drain} == 500", "recovery{fault=redis_restart} < 3s"
  ],
  "budget": {"late": "1%", "dropped": "0%", "unknown": "1%", "wall": "10m"}
}
)json";
}

std::string small_scenario() {
  return R"json({
  "clock": "virtual",
  "verdict": "holds",
  "policies": {"api": {"algo": "sliding", "limit": 20, "window": "60s", "key": "rl:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "bot", "policy": "api", "who": "bot", "rate": "30/1m", "for": "5m"}],
  "expect": ["over_admitted == 0"]
}
)json";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

ParsedScenario parsed(const std::string& text) {
  FilesInMemory files;
  return parse_scenario("scenarios/test.json", text, files);
}

std::string mistakes_in(const std::string& text) { return parsed(text).mistakes; }

}  // namespace rlctl
