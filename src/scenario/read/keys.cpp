#include "scenario/read/keys.h"

#include <array>
#include <vector>

namespace rlctl {
namespace {

struct Keys {
  const char* name;
  std::vector<std::string> keys;
};

// In the order of ScenarioObject.
const std::array<Keys, 14>& table() {
  static const std::array<Keys, 14> keys{{
      {"scenario",
       {"$schema", "name", "description", "seed", "clock", "speed", "verdict", "own_contract",
        "policies", "target", "identities", "phases", "faults", "expect", "budget"}},
      {"policy",
       {"algo",
        "script",
        "command",
        "allowed",
        "as",
        "manifest",
        "run",
        "rules",
        "limit",
        "window",
        "key",
        "block",
        "block_key",
        "contract",
        "tolerance",
        "fresh",
        "allow_false_denials",
        "held_at_least",
        "max_inflight",
        "wait",
        "wait_timeout",
        "targets",
        "spread",
        "route"}},
      {"target",
       {"kind", "url", "method", "body", "headers", "allowed", "denied", "source_ip", "timeout",
        "i_own_this_target", "on_error", "trust_proxy", "cost_from", "login", "domain",
        "descriptors", "http2"}},
      {"route",
       {"url", "method", "body", "headers", "allowed", "denied", "source_ip", "cost_from", "login",
        "domain", "descriptors", "http2"}},
      {"login", {"url", "method", "body", "headers", "capture", "again"}},
      {"identity", {"ip", "user", "count", "pick", "skew", "file"}},
      {"phase",
       {"name",     "policy",       "who",         "mix",    "start",       "align",   "share_keys",
        "lockstep", "cost",         "connections", "rate",   "stages",      "for",     "arrivals",
        "bursts",   "users",        "requests",    "think",  "consumers",   "items",   "on_deny",
        "replay",   "clock_spread", "hold",        "vanish", "actual_cost", "retries", "warm_up"}},
      {"stage", {"rate", "to", "for"}},
      {"burst", {"at", "count", "gap"}},
      {"share", {"who", "weight"}},
      {"range", {"from", "to", "as"}},
      {"fault", {"at", "do", "down", "by", "jitter", "steps", "how"}},
      {"expectation", {"that", "why"}},
      {"budget", {"late", "late_after", "dropped", "unknown", "failed", "wall"}},
  }};
  return keys;
}

}  // namespace

std::span<const std::string> keys_of(ScenarioObject object) {
  return table()[static_cast<std::size_t>(object)].keys;
}

const char* name_of(ScenarioObject object) {
  return table()[static_cast<std::size_t>(object)].name;
}

}  // namespace rlctl
