// Whether a script can be played on the virtual clock. Redis does not share it: keys expire in real
// time, so nothing expires while virtual minutes pass. Sends nothing. One thread.
#pragma once

#include <string>

#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// Why it cannot: "its keys expire in real time", or what it was seen to do. Empty: nothing was
// found. The script is played on two models of Redis, one whose keys expire on the virtual clock,
// one whose keys stay. If a decision differs, it depends on the expiry. The policy is played in
// small: up to 20 per window, up to 5 minutes.
std::string why_in_real_time(const Script& script, const Policy& policy);

// Error(Exit::usage) with the reason, if there is one.
void require_virtual_clock(const Script& script, const Policy& policy);

}  // namespace rlctl
