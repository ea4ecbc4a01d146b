// The command line: the verbs' options before it is parsed, help that teaches while it is, one
// clear line where it is wrong, and the verb that was asked for afterwards.
//
// Owns the parser and what the verbs' options fill. The verbs must outlive it. One thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cli/help/command_table.h"
#include "cli/verb.h"

namespace rlctl {

class CommandLine {
 public:
  explicit CommandLine(std::span<const Verb* const> verbs);
  ~CommandLine();

  // Done after --help (a verb's opens with its examples) and --version; nothing when there is a
  // verb to run. Throws Error(Exit::usage) with "did you mean" for what is not known.
  std::optional<Exit> parse(int argc, const char* const* argv);

  // The verb that was given; Error for whatever stops it, and when there was none.
  Exit run();

  const CommandTable& table() const { return table_; }

 private:
  void add_verb(const Verb& verb);
  const VerbPage* current_page() const;

  std::unique_ptr<CLI::App> app_;
  OptionWords words_;
  CommandTable table_;
  std::vector<Action> actions_;  // a verb's, in the order of table_.verbs
};

}  // namespace rlctl
