// The words for what a manifest says, as tables and JSON show them.
#pragma once

#include "limiter/manifest.h"

namespace rlctl {

const char* name_of(ContractKind kind);
const char* name_of(ClockSource clock);
const char* name_of(RunPlace run);

}  // namespace rlctl
