// A verb of the command line. The table in main lists all verbs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/options/options.h"

namespace rlctl {

// Runs after parsing; throws Error if the verb fails.
using Action = std::function<Exit()>;

struct Verb {
  const char* name;
  const char* summary;
  const char* examples;             // shown first in --help, one per line
  Action (*add_options)(Options&);  // declares the options; the action owns their values
};

extern const Verb kAlgosVerb;
extern const Verb kBenchVerb;
extern const Verb kBlockVerb;
extern const Verb kCompareVerb;
extern const Verb kCompletionVerb;
extern const Verb kExploreVerb;
extern const Verb kHitVerb;
extern const Verb kInspectVerb;
extern const Verb kListVerb;
extern const Verb kLoadVerb;
extern const Verb kManVerb;
extern const Verb kReportVerb;
extern const Verb kResetVerb;
extern const Verb kRunVerb;
extern const Verb kServeVerb;
extern const Verb kSimulateVerb;
extern const Verb kUnblockVerb;
extern const Verb kVerifyVerb;
extern const Verb kWatchVerb;

}  // namespace rlctl
