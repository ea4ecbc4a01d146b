#include <fmt/format.h>

#include "cli/help/completion.h"

namespace rlctl {
namespace {

// In an _arguments specification [, ], : and \ mean something.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// ":what it is:how to complete it", for an option behind its "[help]".
std::string value_of(const Parameter& parameter) {
  const std::string name = ":" + escaped(parameter.value);
  std::string words;
  switch (kind_of(parameter)) {
    case ValueKind::words:
      for (const std::string& word : parameter.words) words += (words.empty() ? "" : " ") + word;
      return name + ":(" + words + ")";
    case ValueKind::files:
      return name + ":_files";
    case ValueKind::folders:
      return name + ":_files -/";
    case ValueKind::scenarios:
      return name + ":_files -g \"*.json\"";
    case ValueKind::algorithms:
      return name + ":_rlctl_algorithms";
    case ValueKind::none:
      return "";
    case ValueKind::anything:
      break;
  }
  return name + ": ";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string specification(const Parameter& option, const std::string& name) {
  std::string text = (option.repeatable ? "*" : "") + name;
  if (option.takes_value() && name.starts_with("--")) text += "=";
  return in_shell_quotes(text + "[" + escaped(first_line(option.help)) + "]" + value_of(option));
}

std::string specification(const Parameter& argument) {
  return in_shell_quotes((argument.repeatable ? "*" : "1") + value_of(argument));
}

std::string verb_case(const VerbPage& verb) {
  std::string text = fmt::format("        {})\n          _arguments -s", verb.name);
  for (const Parameter& option : verb.options)
    for (const std::string& name : option.names)
      text += " \\\n            " + specification(option, name);
  for (const Parameter& argument : verb.arguments)
    text += " \\\n            " + specification(argument);
  return text + "\n          ;;\n";
}

std::string summaries(const CommandTable& table) {
  std::string text;
  for (const VerbPage& verb : table.verbs)
    text += "    " + in_shell_quotes(escaped(verb.name) + ":" + verb.summary) + "\n";
  return text;
}

}  // namespace

std::string zsh_completion(const CommandTable& table, const std::vector<std::string>& algorithms) {
  std::string text =
      "#compdef rlctl\n# zsh completion of rlctl, made by `rlctl completion zsh`.\n\n"
      "_rlctl_algorithms() {\n  local -a names=(";
  for (const std::string& name : algorithms) text += "\n    " + in_shell_quotes(name);
  text +=
      "\n  )\n  _alternative 'algorithms:algorithm:compadd -a names' "
      "'files:script:_files -g \"*.lua\"'\n}\n\n";
  text += "_rlctl() {\n  local context state line\n  typeset -A opt_args\n  local -a verbs=(\n";
  text += summaries(table) + "  )\n  _arguments -C";
  for (const Parameter& option : table.options)
    for (const std::string& name : option.names) text += " \\\n    " + specification(option, name);
  text +=
      " \\\n    '1: :->verb' '*:: :->arguments'\n  case $state in\n"
      "    verb) _describe verb verbs ;;\n    arguments)\n      case $words[1] in\n";
  for (const VerbPage& verb : table.verbs) text += verb_case(verb);
  return text +
         "      esac\n      ;;\n  esac\n}\n\n"
         "if [[ $funcstack[1] == _rlctl ]]; then _rlctl \"$@\"; else compdef _rlctl rlctl; fi\n";
}

}  // namespace rlctl
