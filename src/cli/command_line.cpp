#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/suggest.h"
#include "cli/help/help_text.h"
#include "cli/help/option_groups.h"
#include "cli/help/versions.h"
#include "cli/options/options.h"
#include "cli/output/output.h"

namespace rlctl {
namespace {

// The verb on the command line; the app itself if there is none.
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

// What other verbs can play, and this one can't; a URL alone counts as --target.
struct Elsewhere {
  std::string_view verb, option, hint;
};
constexpr Elsewhere kElsewhere[] = {
    {"explore", "--command",
     "a command is one step, in which nothing can come between: rlctl simulate and bench play it"},
    {"explore", "--target", "explore needs a script; a service: rlctl simulate --target URL"},
    {"explore", "--algo", "its script has no option: rlctl explore NAME|FILE.lua"},
    {"explore", "--script", "its script has no option: rlctl explore FILE.lua"},
    {"bench", "--target", "a service: rlctl bench --target URL"},
};

// What other programs call an option of ours.
struct Spelling {
  std::string_view theirs, ours;
};
constexpr Spelling kSpellings[] = {{"--port", "-p"},
                                   {"--host", "-h"},
                                   {"--socket", "-s"},
                                   {"--db", "-n"},
                                   {"--password", "--pass"}};

std::string other_spelling(const CLI::App& verb, std::string_view name) {
  for (const Spelling& one : kSpellings)
    if (one.theirs == name && verb.get_option_no_throw(std::string(one.ours)) != nullptr)
      return "did you mean " + in_quotes(one.ours) + "?";
  return {};
}

std::string where_else(const std::string& verb, std::string_view option) {
  for (const Elsewhere& one : kElsewhere)
    if (one.verb == verb && one.option == option) return std::string(one.hint);
  return {};
}

// redis-cli has a --key, which is a file; other programs have one for what is an argument here.
std::optional<std::string> hint_for_key(const CLI::App& verb) {
  std::vector<std::string> hints;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional() && option->get_type_name().find("KEY") != std::string::npos)
      hints.push_back("write the limiter's key without an option: rlctl " + verb.get_name() +
                      " KEY");
    if (option->check_lname("cert-key"))
      hints.emplace_back("the private key of --cert is --cert-key");
  }
  if (hints.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(hints, "; "));
}

// CLI11 takes words after `--` for options once a verb has all its arguments. With this before
// them, which no word can hold, they are arguments to it.
constexpr char kArgumentMark = '\0';

std::string without_mark(std::string word) {
  if (word.starts_with(kArgumentMark)) word.erase(0, 1);
  return word;
}

void mark_arguments(std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return;
  for (auto word = words.erase(dashes); word != words.end(); ++word)
    word->insert(0, 1, kArgumentMark);
}

// The first option that nothing takes; empty: there is none.
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining(true))
    if (word.size() > 1 && word.starts_with("-")) return word;
  return {};
}

Error unknown_word(const CLI::App& app) {
  const CLI::App& current = current_app(app);
  const auto rest = app.remaining(true);
  const auto first = rest.begin();
  const bool in_verb = &current != &app;
  std::string word = unknown_option(app);
  // An option of no verb is one of the verb that is misspelled.
  const bool is_verb = !in_verb && first != rest.end() && !first->starts_with("-");
  if ((word.empty() && first != rest.end()) || is_verb) word = *first;
  const bool option = word.starts_with("-");
  word = without_mark(std::move(word));
  const std::string name = word.substr(0, word.find('='));
  const auto candidates = option ? option_names(current) : verb_names(app);
  const bool is_url = name.find("://") != name.npos;
  std::string hint = where_else(current.get_name(), is_url ? "--target" : name);
  if (hint.empty()) hint = other_spelling(current, name);
  if (hint.empty() && (!in_verb || option)) hint = did_you_mean(name, candidates);
  if (name == "--key" && in_verb) hint = hint_for_key(current).value_or(hint);
  if (hint.empty())
    hint = "see rlctl " + (in_verb ? current.get_name() + " --help" : std::string("--help"));
  const char* kind = option ? "option" : in_verb ? "argument" : "verb";
  // A URL in the wrong place is shown without its password.
  return Error(Exit::usage, fmt::format("unknown {} {}", kind, in_quotes(without_secrets(name))),
               hint);
}

// An option of the verb that stands before it; empty: there is none.
std::optional<Error> misplaced(const CLI::App& app, std::span<const char* const> words) {
  const CLI::App& verb = current_app(app);
  const auto at = std::ranges::find(words, verb.get_name(),
                                    [](const char* word) { return std::string_view(word); });
  if (&verb == &app || at == words.begin()) return std::nullopt;
  const std::string first = words.front();
  const std::string name = first.substr(0, first.starts_with("--") ? first.find('=') : 2);
  if (verb.get_option_no_throw(name) == nullptr) return std::nullopt;
  std::string line = "rlctl " + verb.get_name();
  std::string_view before;
  for (const char* const& word : words) {
    if (&word != &*at) line += " " + shell_word(shown_word(before, word));
    before = word;
  }
  return Error(Exit::usage, "options come after the verb: " + line);
}

// The first missing argument of the verb, by its name in --help.
std::string missing_argument(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (option->get_required() && option->get_positional() && option->count() == 0)
      return option->get_type_name() + " is missing";
  return {};
}

// CLI11: "--limit: At Most 1 required but received 2", "--algo: 1 required NAME missing".
Error mismatch(const std::string& what, const std::string& hint) {
  const std::string name = what.substr(0, what.find(':'));
  const bool many = what.find("At Most") != what.npos;
  return Error(Exit::usage,
               escape_for_terminal(name) + (many ? " is given more than once" : " needs a value"),
               hint);
}

Error explain(const CLI::App& app, std::span<const char* const> words,
              const CLI::ParseError& problem) {
  if (auto error = misplaced(app, words)) return *std::move(error);
  // The value of an unknown option was taken for an argument, which other messages would be about.
  if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr || !unknown_option(app).empty())
    return unknown_word(app);
  const CLI::App& current = current_app(app);
  const std::string verb = &current != &app ? current.get_name() + " " : "";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr)
    return mismatch(problem.what(), "see rlctl " + verb + "--help");
  const bool incomplete = dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr;
  const std::string missing = incomplete ? missing_argument(current) : std::string();
  return Error(Exit::usage, missing.empty() ? escape_for_terminal(problem.what()) : missing,
               "see rlctl " + verb + "--help");
}

Parameter parameter_of(const CLI::Option& option, const OptionWords& words) {
  Parameter parameter;
  for (const std::string& name : option.get_snames()) parameter.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) parameter.names.push_back("--" + name);
  if (option.get_positional()) parameter.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) parameter.value = option.get_type_name();
  parameter.help = option.get_description();
  parameter.required = option.get_required();
  parameter.repeatable = option.get_items_expected_max() > 1;
  if (const auto known = words.find(&option); known != words.end()) parameter.words = known->second;
  return parameter;
}

const Parameter* option_named(std::string_view name, const VerbPage& page) {
  for (const Parameter& option : page.options)
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  return nullptr;
}

// Of a shell variable that is empty, nothing is left after `--pass=`, and after `--pass` the next
// option. CLI11 would take that for the value, and leave out the option.
void refuse_lost_values(std::span<const std::string> words, const VerbPage& page) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    const bool ends_early = word.starts_with("--") && word.find('=') == word.size() - 1;
    const Parameter* option =
        option_named(ends_early ? word.substr(0, word.size() - 1) : word, page);
    if (option == nullptr || (!option->takes_value() && !ends_early)) continue;
    if (!option->takes_value())  // CLI11 would take `--yes=` for `--yes`
      throw Error(Exit::usage, option->names.back() + " takes no value", "write it without '='");
    const bool is_option_next = i + 1 < words.size() && option_named(words[i + 1], page) != nullptr;
    if (ends_early || is_option_next)
      throw Error(Exit::usage, option->names.back() + " needs a value",
                  "check that your shell variable is set");
  }
}

VerbPage page_of(const CLI::App& app, const Verb& verb, const OptionWords& words) {
  VerbPage page{verb.name, verb.summary, verb.examples, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? page.arguments : page.options)
        .push_back(parameter_of(*option, words));
  arrange_in_groups(page.options);
  return page;
}

}  // namespace

CommandLine::CommandLine(std::span<const Verb* const> verbs, std::span<const char* const> words)
    : app_(std::make_unique<CLI::App>("Proves that a rate limiter holds.", "rlctl")) {
  app_->set_help_flag("--help", "show examples and options");
  app_->set_version_flag("-V,--version", versions_text,
                         "show the versions of rlctl and its libraries");
  app_->require_subcommand(0, 1);
  table_.summary = app_->get_description();
  for (const CLI::Option* option : app_->get_options())
    table_.options.push_back(parameter_of(*option, words_));
  const auto is_named = [words](const Verb* verb) {
    return std::ranges::find(words, std::string_view(verb->name)) != words.end();
  };
  const bool all = std::ranges::any_of(
      verbs, [&](const Verb* verb) { return verb->describes_all && is_named(verb); });
  for (const Verb* verb : verbs) add_verb(*verb, all || is_named(verb));
}

CommandLine::~CommandLine() = default;

void CommandLine::add_verb(const Verb& verb, bool with_options) {
  CLI::App* app = app_->add_subcommand(verb.name, verb.summary);
  Options options(*app, words_, table_);
  actions_.push_back(with_options ? verb.add_options(options) : Action());
  for (CLI::Option* option : app->get_options({}))
    if (option->get_positional()) option->transform(without_mark);
  table_.verbs.push_back(page_of(*app, verb, words_));
}

const VerbPage* CommandLine::current_page() const {
  for (const VerbPage& page : table_.verbs)
    if (app_->got_subcommand(page.name)) return &page;
  return nullptr;
}

// `-h` is the host where a verb has one and a value follows, also before the verb, where explain()
// refuses it as any option; alone it is --help, also of a verb without a host.
std::vector<std::string> CommandLine::words_of(int argc, const char* const* argv) const {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto verb = std::ranges::find_first_of(words, table_.verbs, {}, {}, &VerbPage::name);
  const auto verb_at = static_cast<std::size_t>(verb - words.begin());
  const VerbPage* page =
      verb == words.end() ? nullptr : &*std::ranges::find(table_.verbs, *verb, &VerbPage::name);
  const bool may_be_host = page != nullptr && option_named("-h", *page) != nullptr;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool has_value =
        i + 1 < words.size() && i + 1 != verb_at && !words[i + 1].starts_with("-");
    if (words[i] != "-h" || (may_be_host && has_value)) continue;
    // A script with an empty variable must not take the help for an answer.
    if (may_be_host && words.size() > 2)
      throw Error(Exit::usage, "-h needs a host", "for help: --help");
    words[i] = "--help";
  }
  if (page != nullptr) refuse_lost_values(words, *page);
  mark_arguments(words);
  std::ranges::reverse(words);  // as CLI11 wants it
  return words;
}

std::optional<Exit> CommandLine::parse(int argc, const char* const* argv) {
  const std::size_t width = stdout_columns();
  if (argc < 2) {
    print(help_text(table_, width));
    return Exit::usage;
  }
  try {
    app_->parse(words_of(argc, argv));
  } catch (const CLI::CallForHelp&) {
    const VerbPage* page = current_page();
    print(page != nullptr ? help_text(*page, width) : help_text(table_, width));
    return Exit::done;
  } catch (const CLI::CallForVersion& version) {
    print(version.what());
    return Exit::done;
  } catch (const CLI::ParseError& problem) {
    throw explain(*app_, {argv + 1, argv + argc}, problem);
  }
  return std::nullopt;
}

Exit CommandLine::run() {
  for (std::size_t i = 0; i < actions_.size(); ++i)
    if (app_->got_subcommand(table_.verbs[i].name)) return actions_[i]();
  throw Error(Exit::usage, "no verb is given", "see rlctl --help");
}

}  // namespace rlctl
