// What a verb's file sees of the command line's parser: CLI11 behind a thin wall, since its header
// takes longer to compile than any verb that would include it.
//
// Borrows the parser's objects, which live as long as the process parses. Values are filled in
// while it parses, so what they are stored in must outlive that. One thread.
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

// What values may be: the one thing of the command table that CLI11 has no place for.
using OptionWords = std::map<const CLI::Option*, std::vector<std::string>>;

class Option {
 public:
  Option(CLI::Option* option, OptionWords& words) : option_(option), words_(&words) {}

  // What --help calls the value: N, DURATION. It also says what shells complete: kind_of in
  // cli/help/command_table.h.
  Option type_name(const std::string& name);
  Option group(const std::string& heading);  // where --help lists it
  Option required();
  Option expected(int least, int most);  // how many values
  Option one_at_a_time();                // -H a -H b, and no other value belongs to it

  // One of these words and nothing else: Error(Exit::usage) with what may have been meant.
  Option one_of(const std::vector<std::string>& words);
  // One of these words or something else, which the verb judges: lists with commas, addresses.
  Option such_as(const std::vector<std::string>& words);

 private:
  CLI::Option* option_;
  OptionWords* words_;
};

class Options {
 public:
  static constexpr int kAnyNumber = 1 << 29;

  // `table` is complete once all verbs have told their options: before any of them runs.
  Options(CLI::App& app, OptionWords& words, const CommandTable& table)
      : app_(&app), words_(&words), table_(&table) {}

  // A name with dashes is an option, one without is an argument by its place.
  Option add_option(const std::string& name, std::string& value, const std::string& help);
  Option add_option(const std::string& name, std::vector<std::string>& values,
                    const std::string& help);
  Option add_flag(const std::string& name, bool& value, const std::string& help);

  const CommandTable& table() const { return *table_; }

  // Which of them were typed, once it was parsed: "--limit", and "KEY" for an argument.
  std::vector<std::string> given() const;

  // What was typed, once it was parsed: "rlctl bench --algo gcra", to be typed again. Passwords and
  // the values of headers that hold credentials are left out.
  std::string command_line() const;

 private:
  CLI::App* app_;
  OptionWords* words_;
  const CommandTable* table_;
};

}  // namespace rlctl
