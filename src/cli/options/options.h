// The interface of the command-line parser for verbs. It hides CLI11, whose header takes longer to
// compile than any verb that would include it.
//
// Borrows the parser's objects. Values are filled in during parsing, so the variables must outlive
// it. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rlctl {

// The words that a value can be: the only part of the command table that CLI11 can't store.
using OptionWords = std::map<const CLI::Option*, std::vector<std::string>>;

class Option {
 public:
  Option(CLI::Option* option, OptionWords& words) : option_(option), words_(&words) {}

  // The name of the value in --help: N, DURATION. It also decides what shells complete: see kind_of
  // in cli/help/command_table.h.
  Option type_name(const std::string& name);
  Option required();
  Option expected(int least, int most);  // how many values
  Option one_at_a_time();                // one value per use: -H a -H b

  // Only these words; Error(Exit::usage) suggests the most similar one.
  Option one_of(const std::vector<std::string>& words);
  // Suggests these words, but allows other values, which the verb checks: lists with commas,
  // addresses.
  Option such_as(const std::vector<std::string>& words);

 private:
  CLI::Option* option_;
  OptionWords* words_;
};

class Options {
 public:
  static constexpr int kAnyNumber = 1 << 29;

  // `table` is complete after all verbs have added their options, before any of them runs.
  Options(CLI::App& app, OptionWords& words, const CommandTable& table)
      : app_(&app), words_(&words), table_(&table) {}

  // A name with dashes is an option; a name without dashes is a positional argument.
  Option add_option(const std::string& name, std::string& value, const std::string& help);
  Option add_option(const std::string& name, std::vector<std::string>& values,
                    const std::string& help);
  Option add_flag(const std::string& name, bool& value, const std::string& help);

  const CommandTable& table() const { return *table_; }

  // The options that were given, after parsing: "--limit", and "KEY" for an argument.
  std::vector<std::string> given() const;

  // The command line, after parsing: "rlctl bench --algo gcra". It can be typed again, but
  // passwords and the values of headers that hold credentials are left out, and the options that
  // `left_out` names.
  std::string command_line(const std::vector<std::string>& left_out = {}) const;

  // Its options alone: " --seed 5".
  std::string options_line(const std::vector<std::string>& left_out = {}) const;

 private:
  CLI::App* app_;
  OptionWords* words_;
  const CommandTable* table_;
};

}  // namespace rlctl
