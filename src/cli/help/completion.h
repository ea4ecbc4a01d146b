// Shell completion scripts for bash, zsh and fish, all drawn from one CompletionModel, which is the
// command table as shells see it: the values of a parameter are words that a shell can split. Pure;
// never fails.
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace rlctl {

struct CompletedParameter {
  std::vector<std::string> names;  // an argument has one, without dashes
  std::string value;               // the name of the value; "" for a flag
  std::string help;                // one line
  ValueKind kind = ValueKind::none;
  std::string words;  // ValueKind::words: the possible values, with blanks between them
  bool repeatable = false;

  bool takes_value() const { return kind != ValueKind::none; }
};

struct CompletedVerb {
  std::string name;
  std::string summary;
  std::vector<CompletedParameter> arguments;
  std::vector<CompletedParameter> options;
};

struct CompletionModel {
  std::vector<std::string> algorithms;      // offered for NAME|FILE.lua
  std::vector<CompletedParameter> options;  // to be given before a verb
  std::vector<CompletedVerb> verbs;
};

CompletionModel completion_model(const CommandTable& table, std::vector<std::string> algorithms);

std::string bash_completion(const CompletionModel& model);
std::string zsh_completion(const CompletionModel& model);
std::string fish_completion(const CompletionModel& model);

// `text` quoted as one word for a POSIX shell.
std::string in_shell_quotes(const std::string& text);

}  // namespace rlctl
