// The traffic patterns that `simulate` plays, as scenarios of one policy: what a bot, a burst
// around a window's edge, a double click or racing consumers do to a limiter. Pure.
//
// Throws Error(Exit::usage) for a pattern that there is not, and for an option that means nothing
// to the pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scenario/scenario.h"

namespace rlctl {

struct PatternInfo {
  const char* name;
  const char* summary;
  std::int64_t limit;  // of the policy, when none is given
  std::int64_t window_us;
};
std::span<const PatternInfo> patterns();
const PatternInfo& find_pattern(const std::string& name);

enum class EdgeChoice : std::uint8_t { clock, first_hit, both };

// Empty: as the pattern has it.
struct PatternOptions {
  std::optional<Rate> rate;
  std::optional<std::int64_t> duration_us;
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> users;
  std::optional<std::int64_t> consumers;
  std::optional<std::int64_t> items;
  std::optional<OnDeny> on_deny;
  std::optional<EdgeChoice> anchor;
  bool lockstep = false;
};

// Policy, target, clock and seed are the caller's to set.
Scenario make_pattern(const PatternInfo& pattern, const PolicySpec& policy,
                      const PatternOptions& options);

}  // namespace rlctl
