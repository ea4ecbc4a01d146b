// rlctl completion: prints a script that completes rlctl's verbs, options and their values.
#include "cli/help/completion.h"

#include "cli/output/output.h"
#include "cli/verb.h"
#include "limiter/registry.h"

namespace rlctl {
namespace {

Exit run(const std::string& shell, const CommandTable& table) {
  const std::vector<std::string> algorithms = Registry().names();
  if (shell == "bash") print(bash_completion(table, algorithms));
  if (shell == "zsh") print(zsh_completion(table, algorithms));
  if (shell == "fish") print(fish_completion(table, algorithms));
  return Exit::done;
}

Action add_options(Options& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "the shell that the script is for")
      .required()
      .type_name("SHELL")
      .one_of({"bash", "zsh", "fish"});
  return [shell, &table = app.table()] { return run(*shell, table); };
}

}  // namespace

std::string in_shell_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

const Verb kCompletionVerb{
    "completion", "Prints a shell completion script for bash, zsh or fish.",
    "  rlctl completion bash > ~/.local/share/bash-completion/completions/rlctl\n"
    "  rlctl completion zsh > ~/.zfunc/_rlctl   # a folder of $fpath\n"
    "  rlctl completion fish > ~/.config/fish/completions/rlctl.fish",
    add_options};

}  // namespace rlctl
