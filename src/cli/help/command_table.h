// The command line as data: every verb with its arguments and options. It is read from the parser,
// and help, completion and man page are generated from it, so they always match the program. Plain
// values.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

// An option, or a positional argument.
struct Parameter {
  std::vector<std::string> names;  // "--header", "-H"; an argument has one, without dashes
  std::string value;               // the name of the value: N, FILE; "" for a flag
  std::string help;
  std::string group;               // the heading in help: Options, Policy, Redis …
  std::vector<std::string> words;  // the possible values, if they are a list
  bool required = false;
  bool repeatable = false;

  bool takes_value() const { return !value.empty(); }
};

// The kind of a value, for shell completion: from Parameter::words, otherwise from the name of the
// value: DIR, FILE, FILE|DIR, LOG, FILE.json|DIR, NAME|FILE.lua.
enum class ValueKind { none, words, anything, files, folders, scenarios, algorithms };
ValueKind kind_of(const Parameter& parameter);

struct VerbPage {
  std::string name;
  std::string summary;   // one sentence
  std::string examples;  // one per line, indented by two spaces
  std::vector<Parameter> arguments;
  std::vector<Parameter> options;
};

struct CommandTable {
  std::string summary;
  std::vector<Parameter> options;  // to be given before a verb
  std::vector<VerbPage> verbs;     // in the order of help
};

struct ExitCode {
  int code;
  const char* meaning;
};
const std::vector<ExitCode>& exit_codes();

// An option as help shows it: "-H,--header 'NAME: VALUE'"; an argument: "KEY".
std::string shown(const Parameter& parameter);

// The help text; a second line lists the words if the text does not name all of them.
std::string full_help(const Parameter& parameter);

// "rlctl reset [OPTIONS] KEY|PATTERN...".
std::string synopsis(const VerbPage& verb);

}  // namespace rlctl
