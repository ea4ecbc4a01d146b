#include "cli/help/help_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "base/wrap.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostColumns = 100;  // longer lines are hard to read
constexpr std::size_t kWidestName = 26;    // longer: text on the next line

// "  NAME    text"; all texts begin at `column`.
std::string entry(const std::string& name, const std::string& text, std::size_t column,
                  std::size_t width) {
  std::string out = "  " + name;
  const std::size_t used = display_width(out);
  out += used + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - used, ' ');
  return out + wrapped_text(text, width, column);
}

std::size_t name_column(const std::vector<Parameter>& parameters) {
  std::size_t widest = 0;
  for (const Parameter& parameter : parameters)
    if (const std::size_t columns = display_width(shown(parameter)); columns <= kWidestName)
      widest = std::max(widest, columns);
  return widest + 4;
}

std::string entries(const std::vector<Parameter>& parameters, const std::string& group,
                    std::size_t column, std::size_t width) {
  std::string text;
  for (const Parameter& parameter : parameters)
    if (parameter.group == group)
      text += entry(shown(parameter), full_help(parameter), column, width);
  return text;
}

std::string exit_codes_text(std::size_t width) {
  std::string text;
  for (const ExitCode& code : exit_codes())
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : " · ", code.code, code.meaning);
  return wrapped_text(text, width);
}

}  // namespace

std::vector<std::string> groups_of(const std::vector<Parameter>& options) {
  std::vector<std::string> groups;
  for (const Parameter& option : options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  return groups;
}

std::string help_text(const VerbPage& verb, std::size_t width) {
  width = std::min(width, kMostColumns);
  std::string text = "Examples:\n" + verb.examples + "\n\n" + wrapped_text(verb.summary, width);
  text += "\nUsage: " + synopsis(verb) + "\n";
  const std::size_t column = std::max(name_column(verb.arguments), name_column(verb.options));
  if (!verb.arguments.empty()) text += "\n";
  for (const Parameter& argument : verb.arguments)
    text += entry(shown(argument), full_help(argument), column, width);
  for (const std::string& group : groups_of(verb.options))
    text += "\n" + group + ":\n" + entries(verb.options, group, column, width);
  return text + "\n" + exit_codes_text(width);
}

std::string help_text(const CommandTable& table, std::size_t width) {
  width = std::min(width, kMostColumns);
  std::string text = wrapped_text(table.summary, width);
  text += "\nUsage: rlctl VERB [OPTIONS] ...\n\nVerbs:\n";
  std::size_t widest = 0;
  for (const VerbPage& verb : table.verbs) widest = std::max(widest, verb.name.size());
  for (const VerbPage& verb : table.verbs)
    text += entry(verb.name, verb.summary, widest + 4, width);
  text += "\nOptions:\n";
  for (const Parameter& option : table.options)
    text += entry(shown(option), option.help, name_column(table.options), width);
  text +=
      "\n" +
      wrapped_text(
          "See 'rlctl VERB --help' for examples and options of a verb, 'man rlctl' for all verbs.",
          width);
  return text + "\n" + exit_codes_text(width);
}

}  // namespace rlctl
