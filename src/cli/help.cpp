// rlctl help: prints the help of rlctl or of a verb, as --help does.
#include "base/error.h"
#include "base/escape.h"
#include "base/object_fields.h"
#include "cli/help/help_text.h"
#include "cli/output/output.h"
#include "cli/verb.h"

namespace rlctl {
namespace {

Exit run_help(const std::string& name, const CommandTable& table) {
  const std::size_t width = stdout_columns();
  std::vector<std::string> names;
  for (const VerbPage& verb : table.verbs) {
    names.push_back(verb.name);
    if (verb.name != name) continue;
    print(help_text(verb, width));
    return Exit::done;
  }
  if (!name.empty())
    throw Error(Exit::usage, "there is no verb " + in_quotes(name), suggestion(name, names));
  print(help_text(table, width));
  return Exit::done;
}

Action add_help_options(Options& app) {
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;  // the verbs above in main.cpp, for shell completion
  for (const VerbPage& verb : app.table().verbs) names.push_back(verb.name);
  app.add_option("verb", *name, "the verb to explain [list the verbs]")
      .type_name("VERB")
      .such_as(names);
  return [name, &table = app.table()] { return run_help(*name, table); };
}

}  // namespace

const Verb kHelpVerb{"help", "Prints the help of a verb; without one, the list of verbs.",
                     "  rlctl help\n"
                     "  rlctl help simulate",
                     add_help_options, true};

}  // namespace rlctl
