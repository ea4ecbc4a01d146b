// The command line as data: every verb with its arguments and options. Read off the parser, so that
// help, completion and man page, which are all written from it, can't tell of another program.
// Plain values.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

// An option, or an argument by its place.
struct Parameter {
  std::vector<std::string> names;  // "--header", "-H"; one without dashes for an argument
  std::string value;               // what the value is called: N, FILE; "" for a flag
  std::string help;
  std::string group;               // the heading in help: Options, Policy, Redis …
  std::vector<std::string> words;  // what the value may be, where that is a list
  bool required = false;
  bool repeatable = false;

  bool takes_value() const { return !value.empty(); }
};

// What a value is, as far as a shell can complete it. Told by Parameter::words, else by the
// value's name: DIR, FILE, FILE|DIR, LOG, FILE.json|DIR, NAME|FILE.lua.
enum class ValueKind { none, words, anything, files, folders, scenarios, algorithms };
ValueKind kind_of(const Parameter& parameter);

struct VerbPage {
  std::string name;
  std::string summary;   // one sentence
  std::string examples;  // one a line, indented by two blanks
  std::vector<Parameter> arguments;
  std::vector<Parameter> options;
};

struct CommandTable {
  std::string summary;
  std::vector<Parameter> options;  // before any verb
  std::vector<VerbPage> verbs;     // in the order of help
};

struct ExitCode {
  int code;
  const char* meaning;
};
const std::vector<ExitCode>& exit_codes();

// An option as help shows it: "-H,--header 'NAME: VALUE'"; an argument: "KEY".
std::string shown(const Parameter& parameter);

// The help, and below it the words where it does not name them itself.
std::string full_help(const Parameter& parameter);

// "rlctl reset [OPTIONS] KEY|PATTERN...".
std::string synopsis(const VerbPage& verb);

}  // namespace rlctl
