// Wrappers: a script is inserted into another as text (lua/wrappers), so that both are one atomic
// step. The result is a script like any other, with a reply by position: allowed, remaining,
// retry_after_us, decided_us, delay_us. Throws Error(Exit::usage) if a script can't be wrapped.
// Pure.
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// Adds a flag under <block_key> that denies everything for block_ms after a denial. If the script
// runs step by step on the client, the flag works as in applications: read before the script,
// written after it.
Script with_block(Script script);

// Adds Redis's time of the decision, for scripts that do not report one. Other scripts are not
// changed, and neither are those that run on the client: a time that is read after the decision is
// not the time of the decision. Not for the virtual clock, where the script itself has the right
// time.
Script with_stamp(Script script);

// Runs the script elsewhere than its manifest says. If a script was one atomic step and now runs
// step by step, it no longer reports the time of its decision: it decides at the command that
// writes, not when it read the clock.
Script run_at(Script script, RunPlace place);

}  // namespace rlctl
