#include <fmt/format.h>

#include "cli/help/completion.h"

namespace rlctl {
namespace {

// In fish's single quotes a backslash is one only before a quote or another.
std::string in_fish_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// -x: a value and no file; -r: a value that may be one; -f: no file.
std::string value_of(const Parameter& parameter) {
  std::string words;
  switch (kind_of(parameter)) {
    case ValueKind::none:
      return "";
    case ValueKind::words:
      for (const std::string& word : parameter.words) words += (words.empty() ? "" : " ") + word;
      return " -x -a " + in_fish_quotes(words);
    case ValueKind::files:
      return " -r -F";
    case ValueKind::folders:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::scenarios:
      return " -x -a '(__fish_complete_suffix .json)'";
    case ValueKind::algorithms:
      return " -x -a \"$__rlctl_algorithms (__fish_complete_suffix .lua)\"";
    case ValueKind::anything:
      break;
  }
  return " -x";
}

std::string names_of(const Parameter& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

std::string line(const std::string& condition, const std::string& rest, const std::string& help) {
  return fmt::format("complete -c rlctl -n {}{} -d {}\n", in_fish_quotes(condition), rest,
                     in_fish_quotes(first_line(help)));
}

std::string verb_lines(const VerbPage& verb) {
  const std::string condition = "__rlctl_verb " + verb.name;
  std::string text;
  for (const Parameter& option : verb.options)
    text += line(condition, names_of(option) + value_of(option), option.help);
  for (const Parameter& argument : verb.arguments)
    // A condition of its own takes the place of -x: an argument stands without an option.
    if (const std::string values = value_of(argument); values.find("-a") != values.npos)
      text += line(condition, values.substr(values.find(" -a")), argument.value);
    else if (kind_of(argument) == ValueKind::files)
      text += line(condition, " -F", argument.value);
  return text;
}

}  // namespace

std::string fish_completion(const CommandTable& table, const std::vector<std::string>& algorithms) {
  std::string names;
  for (const std::string& name : algorithms) names += (names.empty() ? "" : " ") + name;
  std::string text =
      "# fish completion of rlctl, made by `rlctl completion fish`.\n\n"
      "set -g __rlctl_algorithms '" +
      names +
      "'\ncomplete -c rlctl -f\n"
      // Any later word may be a key that is called like a verb.
      "function __rlctl_verb\n    set -l words (commandline -opc)\n"
      "    test \"$words[2]\" = $argv[1]\nend\n";
  for (const Parameter& option : table.options)
    text += line("__fish_use_subcommand", names_of(option), option.help);
  for (const VerbPage& verb : table.verbs)
    text += line("__fish_use_subcommand", " -a " + verb.name, verb.summary);
  for (const VerbPage& verb : table.verbs) text += verb_lines(verb);
  return text;
}

}  // namespace rlctl
