#include "cli/help/command_table.h"

#include <algorithm>

#include "base/text.h"

namespace rlctl {
namespace {

bool names_files(const std::string& value) {
  return value.find("FILE") != value.npos || value.find("LOG") != value.npos;
}

}  // namespace

ValueKind kind_of(const Parameter& parameter) {
  if (!parameter.takes_value()) return ValueKind::none;
  if (!parameter.words.empty()) return ValueKind::words;
  if (parameter.value.find("FILE.lua") != std::string::npos) return ValueKind::algorithms;
  if (parameter.value.find("FILE.json") != std::string::npos) return ValueKind::scenarios;
  if (names_files(parameter.value)) return ValueKind::files;
  if (parameter.value == "DIR") return ValueKind::folders;
  return ValueKind::anything;
}

const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> codes{
      {0, "holds, or done"},
      {1, "violated, denied, or a condition or check failed"},
      {2, "bad input, nothing was sent"},
      {3, "the target or the run failed"},
      {4, "inconclusive, or only a part was done"},
      {5, "output could not be written"},
      {130, "interrupted"},
  };
  return codes;
}

std::string shown(const Parameter& parameter) {
  if (!parameter.names.front().starts_with("-")) return parameter.value;
  const std::string text = joined(parameter.names);
  return parameter.takes_value() ? text + " " + parameter.value : text;
}

std::string full_help(const Parameter& parameter) {
  const bool told = std::ranges::all_of(parameter.words, [&](const std::string& word) {
    return (parameter.help + parameter.value).find(word) != std::string::npos;
  });
  return told ? parameter.help : parameter.help + "\nOne of " + joined(parameter.words) + ".";
}

std::string synopsis(const VerbPage& verb) {
  std::string text = "rlctl " + verb.name + " [OPTIONS]";
  for (const Parameter& argument : verb.arguments) {
    std::string name = argument.value;
    if (argument.repeatable && !name.ends_with("...")) name += "...";
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

}  // namespace rlctl
