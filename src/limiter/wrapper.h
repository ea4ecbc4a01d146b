// Wrappers: a script is inserted into another as text (lua/wrappers), so that both are one atomic
// step. The result is a script like any other, with a reply by position: allowed, remaining,
// retry_after_us, decided_us, delay_us, decided_from_us. Throws Error(Exit::usage) if a script
// can't be wrapped. Pure.
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// Adds a flag under <block_key> that denies everything for block_ms after a denial. If the script
// runs step by step on the client, the flag works as in applications: read before the script,
// written after it.
Script with_block(Script script);

// Adds Redis's time just before the script and just after it, for scripts that do not report the
// time of their decision: the time by which a script decides lies between the two. (In a script,
// TIME advances before Redis 7.2; since then it stands still, and the two are equal.) Scripts that
// run on the client are not changed: they decide at one of several commands. A script that is given
// the time does not decide at a time of Redis; what it reports is the argument, and is left out.
// Not for the virtual clock, where the script itself has the right time.
Script with_stamps(Script script);

// Runs the script elsewhere than its manifest says. If a script was one atomic step and now runs
// step by step, it no longer reports the time of its decision: it decides at the command that
// writes, not when it read the clock.
Script run_at(Script script, RunPlace place);

}  // namespace rlctl
