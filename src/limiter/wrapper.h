// Wrappers: a script put into another as text (lua/wrappers), so that both are one atomic step. The
// result is a script like any other, with a reply by position: allowed, remaining, retry_after_us,
// decided_us, delay_us. Throws Error(Exit::usage) where a script cannot be wrapped. Pure.
#pragma once

#include "limiter/registry.h"

namespace rlctl {

// With a flag under <block_key> that denies everything for block_ms after a denial. Step by step on
// the client the flag is one as applications keep it: read before, written after.
Script with_block(Script script);

// With Redis's time of the decision, for scripts that do not report one; others stay as they are,
// and so do those that run on the client: a time asked for after the decision is not its own.
// Not for the virtual clock, whose time the script knows better.
Script with_stamp(Script script);

// Run elsewhere than its manifest says. A script that was one atomic step and runs step by step
// reports no time of its decision any more: it decides at the command that writes, not when it
// looked at the clock.
Script run_at(Script script, RunPlace place);

}  // namespace rlctl
