// rlctl version: prints the versions of rlctl and its libraries, as --version does.
#include "cli/help/versions.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

Action add_version_options(Options& /*app*/) {
  return [] {
    print(versions_text());
    return Exit::done;
  };
}

}  // namespace

const Verb kVersionVerb{"version", "Prints the versions of rlctl and its libraries.",
                        "  rlctl version\n"
                        "  rlctl version | head -1",
                        add_version_options};

}  // namespace rlctl
