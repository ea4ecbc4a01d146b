// rlctl man: prints the man page, from the same table as the help.
#include "cli/help/man_page.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

Action add_man_options(Options& app) {
  return [&table = app.table()] {
    print(man_page(table, RLCTL_VERSION));
    return Exit::done;
  };
}

}  // namespace

const Verb kManVerb{"man", "Prints the man page, with the options of every verb, for man -l.",
                    "  rlctl man | man -l -\n"
                    "  rlctl man > ~/.local/share/man/man1/rlctl.1",
                    add_man_options, true};

}  // namespace rlctl
