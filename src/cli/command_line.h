// The command line: collects the options of the verbs, parses the arguments, prints help or one
// clear line about a mistake, and runs the verb.
//
// Owns the parser and the values of the options. The verbs must outlive it. One thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/help/command_table.h"
#include "cli/verb.h"

namespace rlctl {

class CommandLine {
 public:
  // Declares the options of the verbs that `words` name; of all of them for a verb that describes
  // them all.
  CommandLine(std::span<const Verb* const> verbs, std::span<const char* const> words);
  ~CommandLine();

  // Exit::done after --help and --version, Exit::usage without arguments; nothing if there is a
  // verb to run. Throws Error(Exit::usage), with "did you mean" for unknown words.
  std::optional<Exit> parse(int argc, const char* const* argv);

  // Runs the verb that was given. Throws Error if the verb fails, or if there was none.
  Exit run();

  const CommandTable& table() const { return table_; }

 private:
  void add_verb(const Verb& verb, bool with_options);
  const VerbPage* current_page() const;
  std::vector<std::string> words_of(int argc, const char* const* argv) const;

  std::unique_ptr<CLI::App> app_;
  OptionWords words_;
  CommandTable table_;
  std::vector<Action> actions_;  // one per verb, in the order of table_.verbs
};

}  // namespace rlctl
