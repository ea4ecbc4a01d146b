#include <fmt/format.h>

#include "cli/help/completion.h"

namespace rlctl {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// What is offered for a value: a call of one of the functions in kHead.
std::string offer(const Parameter& parameter) {
  switch (kind_of(parameter)) {
    case ValueKind::words:
      return "_rlctl_words " + in_shell_quotes(joined(parameter.words));
    case ValueKind::files:
      return "_rlctl_files";
    case ValueKind::folders:
      return "_rlctl_folders";
    case ValueKind::scenarios:
      return "_rlctl_files json";
    case ValueKind::algorithms:
      return "_rlctl_words \"$_rlctl_algorithms\"; _rlctl_files lua";
    case ValueKind::none:
    case ValueKind::anything:
      break;
  }
  return ":";
}

// bash cuts words at '=' and ':' too: --algo=sl comes as three.
constexpr const char* kHead = R"(# bash completion of rlctl, made by `rlctl completion bash`.

_rlctl_words() { COMPREPLY+=($(compgen -W "$1" -- "$current")); }

_rlctl_folders() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -d -- "$current"))
}

_rlctl_files() {  # [EXTENSION]
  local IFS=$'\n'
  _rlctl_folders
  if [[ $# -eq 1 ]]; then
    COMPREPLY+=($(compgen -f -X "!*.$1" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}

)";

constexpr const char* kTail = R"(
_rlctl() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
  local verb= word i options
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = ]] && ((COMP_CWORD > 2)); then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* ]] || { verb=$word; break; }
  done
  _rlctl_value "$verb" "$option" && return
  _rlctl_options "$verb"
  if [[ $current == -* ]]; then
    _rlctl_words "$options"
  else
    _rlctl_argument "$verb"
  fi
}

complete -F _rlctl rlctl
)";

// The value of an option: succeeds where the word before is one that takes a value.
std::string value_function(const CommandTable& table) {
  std::string text = "_rlctl_value() {  # VERB OPTION\n  case $1:$2 in\n";
  for (const VerbPage& verb : table.verbs)
    for (const Parameter& option : verb.options) {
      if (!option.takes_value()) continue;
      std::string pattern;
      for (const std::string& name : option.names)
        pattern += (pattern.empty() ? "" : " | ") + verb.name + ":" + name;
      text += fmt::format("    {}) {} ;;\n", pattern, offer(option));
    }
  return text + "    *) return 1 ;;\n  esac\n  return 0\n}\n\n";
}

std::string names_of(const std::vector<Parameter>& options) {
  std::string names;
  for (const Parameter& option : options)
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string options_function(const CommandTable& table) {
  std::string text = "_rlctl_options() {  # VERB\n  case $1 in\n";
  for (const VerbPage& verb : table.verbs)
    text += fmt::format("    {}) options='{}' ;;\n", verb.name, names_of(verb.options));
  return text + fmt::format("    *) options='{}' ;;\n  esac\n}}\n\n", names_of(table.options));
}

std::string argument_function(const CommandTable& table) {
  std::string verbs;
  std::string text = "_rlctl_argument() {  # VERB\n  case $1 in\n";
  for (const VerbPage& verb : table.verbs) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    if (verb.arguments.empty()) continue;
    text += fmt::format("    {}) {} ;;\n", verb.name, offer(verb.arguments.front()));
  }
  return text + fmt::format("    '') _rlctl_words '{}' ;;\n  esac\n}}\n", verbs);
}

}  // namespace

std::string bash_completion(const CommandTable& table, const std::vector<std::string>& algorithms) {
  return kHead + fmt::format("_rlctl_algorithms='{}'\n\n", joined(algorithms)) +
         value_function(table) + options_function(table) + argument_function(table) + kTail;
}

}  // namespace rlctl
