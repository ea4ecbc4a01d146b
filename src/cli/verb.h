// A verb of the command line. The table in main lists all verbs.
//
// The room cli: one file for each verb. It turns options into values, calls the rooms below, prints
// the result and returns the exit code.
// - It includes all rooms. No room includes it.
// - It must not contain logic that a test or another verb may need: that belongs into a lower room.
// - Data goes to standard output, messages go to standard error (output/output.h).
//
// Begin with main.cpp and this file, then with a short verb: verify.cpp. cli/options has the
// options that several verbs share, cli/output progress and files, cli/help the help, the man page
// and the shell completions, all made from one table (help/command_table.h).
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
  bool describes_all = false;       // it reads the table of all verbs and their options
};

extern const Verb kAlgosVerb;
extern const Verb kBenchVerb;
extern const Verb kBlockVerb;
extern const Verb kCompareVerb;
extern const Verb kCompletionVerb;
extern const Verb kDoctorVerb;
extern const Verb kExploreVerb;
extern const Verb kFormatsVerb;
extern const Verb kHelpVerb;
extern const Verb kHitVerb;
extern const Verb kInspectVerb;
extern const Verb kListVerb;
extern const Verb kLoadVerb;
extern const Verb kManVerb;
extern const Verb kPlanVerb;
extern const Verb kProbeVerb;
extern const Verb kReportVerb;
extern const Verb kResetVerb;
extern const Verb kRunVerb;
extern const Verb kSchemaVerb;
extern const Verb kServeVerb;
extern const Verb kSimulateVerb;
extern const Verb kUnblockVerb;
extern const Verb kVerifyVerb;
extern const Verb kVersionVerb;
extern const Verb kWatchVerb;

}  // namespace rlctl
