#include "cli/usage.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/output.h"
#include "core/escape.h"
#include "core/suggest.h"

namespace rlctl {
namespace {

// The verb the user was writing for; the app itself before any verb.
const CLI::App& current_app(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

// A URL in the wrong place is not shown with its password.
std::string without_password(const std::string& word) {
  const auto from = word.find("://");
  const auto to = word.rfind('@');
  if (from == word.npos || to == word.npos || to < from) return word;
  return word.substr(0, from + 3) + "..." + word.substr(to);
}

Error unknown_word(const CLI::App& app) {
  const CLI::App& current = current_app(app);
  const auto rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const std::string name = word.substr(0, word.find('='));
  const bool option = name.starts_with("-");
  const auto candidates = option ? option_names(current) : verb_names(app);
  const bool in_verb = &current != &app;
  std::string hint = in_verb && !option ? "" : did_you_mean(name, candidates);
  if (hint.empty())
    hint = "see rlctl " + (in_verb ? current.get_name() + " --help" : std::string("--help"));
  const char* kind = option ? "option" : in_verb ? "argument" : "verb";
  return Error(Exit::usage, fmt::format("unknown {} {}", kind, in_quotes(without_password(name))),
               hint);
}

Error explain(const CLI::App& app, const CLI::ParseError& problem) {
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) return unknown_word(app);
  const CLI::App& current = current_app(app);
  const std::string verb = &current != &app ? current.get_name() + " " : "";
  return Error(Exit::usage, escape_for_terminal(problem.what()), "see rlctl " + verb + "--help");
}

std::string help_text(const CLI::App& app, std::span<const Verb* const> verbs) {
  const CLI::App& current = current_app(app);
  if (&current == &app) return app.help();
  for (const Verb* verb : verbs)
    if (verb->name == current.get_name())
      return fmt::format("Examples:\n{}\n\n{}", verb->examples, current.help(app.get_name()));
  return current.help(app.get_name());
}

}  // namespace

void describe(CLI::App& app) {
  app.set_version_flag("--version", "rlctl " RLCTL_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Exit codes: 0 holds or done, 1 violated or denied, 2 bad input, 3 target failed, "
      "4 inconclusive, 5 output not written, 130 interrupted.");
}

Action add_verb(CLI::App& app, const Verb& verb) {
  CLI::App* sub = app.add_subcommand(verb.name, verb.summary);
  sub->get_formatter()->column_width(34);
  Options options(*sub);
  return verb.add_options(options);
}

std::optional<Exit> parse_or_explain(CLI::App& app, std::span<const Verb* const> verbs, int argc,
                                     const char* const* argv) {
  if (argc < 2) {
    print(app.help());
    return Exit::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(help_text(app, verbs));
    return Exit::done;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return Exit::done;
  } catch (const CLI::ParseError& problem) {
    throw explain(app, problem);
  }
  return std::nullopt;
}

}  // namespace rlctl
