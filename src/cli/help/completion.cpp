#include "cli/help/completion.h"

#include "base/text.h"

namespace rlctl {
namespace {

std::vector<CompletedParameter> completed(const std::vector<Parameter>& parameters) {
  std::vector<CompletedParameter> all;
  for (const Parameter& one : parameters)
    all.push_back({one.names, one.value, one.help.substr(0, one.help.find('\n')), kind_of(one),
                   joined(one.words, " "), one.repeatable});
  return all;
}

}  // namespace

CompletionModel completion_model(const CommandTable& table, std::vector<std::string> algorithms) {
  CompletionModel model{std::move(algorithms), completed(table.options), {}};
  for (const VerbPage& verb : table.verbs)
    model.verbs.push_back(
        {verb.name, verb.summary, completed(verb.arguments), completed(verb.options)});
  return model;
}

std::string in_shell_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace rlctl
