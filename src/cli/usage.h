// Help that teaches, and one clear line for a command line that is wrong.
#pragma once

#include <optional>
#include <span>

#include "cli/verb.h"

namespace rlctl {

void describe(CLI::App& app);
Action add_verb(CLI::App& app, const Verb& verb);

// Done after --help (a verb's opens with its examples) and --version; nothing when there is a verb
// to run. Throws Error(Exit::usage) with "did you mean" for unknown verbs and options.
std::optional<Exit> parse_or_explain(CLI::App& app, std::span<const Verb* const> verbs, int argc,
                                     const char* const* argv);

}  // namespace rlctl
