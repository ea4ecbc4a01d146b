// rlctl completion: prints a script that completes rlctl's verbs, options and their values.
#include "cli/help/completion.h"

#include "cli/output/output.h"
#include "cli/verb.h"
#include "limiter/registry.h"

namespace rlctl {
namespace {

struct Shell {
  const char* name;
  std::string (*script)(const CompletionModel& model);
};

constexpr Shell kShells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

Exit run_completion(const std::string& name, const CommandTable& table) {
  for (const Shell& shell : kShells)
    if (name == shell.name) print(shell.script(completion_model(table, Registry().names())));
  return Exit::done;
}

Action add_completion_options(Options& app) {
  auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell& one : kShells) names.emplace_back(one.name);
  app.add_option("shell", *shell, "the shell that the script is for")
      .required()
      .type_name("SHELL")
      .one_of(names);
  return [shell, &table = app.table()] { return run_completion(*shell, table); };
}

}  // namespace

const Verb kCompletionVerb{
    "completion", "Prints a shell completion script for bash, zsh or fish.",
    "  rlctl completion bash > ~/.local/share/bash-completion/completions/rlctl\n"
    "  rlctl completion zsh > ~/.zfunc/_rlctl   # a folder of $fpath\n"
    "  rlctl completion fish > ~/.config/fish/completions/rlctl.fish",
    add_completion_options, true};

}  // namespace rlctl
