#include "cli/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/escape.h"
#include "base/object_fields.h"
#include "base/text.h"
#include "io/byte_source.h"

namespace rlctl {

static_assert(Options::kAnyNumber == CLI::detail::expected_max_vector_size);

namespace {

constexpr std::size_t kWidestWords = 20;  // longer lists are not the name of the value

// An unset shell variable leaves an empty value, which must not count as "not given".
CLI::Option* not_empty(CLI::Option* option) {
  const std::string name = option->get_name();
  return option->check([name](const std::string& value) {
    if (value.empty())
      throw Error(Exit::usage, name + ": the value is empty",
                  "check that your shell variable is set");
    return std::string();
  });
}

// CLI11 2.4 (Debian 13) refuses an argument and an option of one name; 2.3 (Debian 12) does not.
CLI::Option* unlike_others(const CLI::App& app, CLI::Option* added) {
  for (const CLI::Option* other : app.get_options())
    if (other != added && other->get_single_name() == added->get_single_name())
      throw std::logic_error(app.get_name() + ": two options are named " +
                             added->get_single_name());
  return added;
}

}  // namespace

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) {
  const std::string name = option_->get_name();
  option_->check([words, name](const std::string& value) {
    if (std::ranges::find(words, value) != words.end()) return std::string();
    throw Error(Exit::usage, name + ": " + in_quotes(value) + " is not known",
                suggestion(value, words));
  });
  if (const std::string all = joined(words, "|"); all.size() <= kWidestWords)
    option_->type_name(all);
  return such_as(words);
}

Option Option::such_as(const std::vector<std::string>& words) {
  (*words_)[option_] = words;
  return *this;
}

Option Options::add_option(const std::string& name, std::string& value, const std::string& help) {
  return {unlike_others(*app_, not_empty(app_->add_option(name, value, help))), *words_};
}

Option Options::add_option(const std::string& name, std::vector<std::string>& values,
                           const std::string& help) {
  return {unlike_others(*app_, not_empty(app_->add_option(name, values, help))), *words_};
}

Option Options::add_flag(const std::string& name, bool& value, const std::string& help) {
  return {app_->add_flag(name, value, help), *words_};
}

namespace {

std::string name_to_type(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_snames().empty() ? "" : "-" + option.get_snames().front();
}

std::string typed(const CLI::Option& option) {
  std::string text;
  const std::string name = name_to_type(option);
  if (name == "--pass") return text;
  const bool is_flag = option.get_expected_max() == 0;
  for (const std::string& value : option.results()) {
    if (name == "--pass-file" && !can_be_named_again(value)) continue;
    if (!name.empty()) text += " " + name;
    if (!is_flag) text += " " + shell_word(shown_value(name, value));
  }
  return text;
}

}  // namespace

std::vector<std::string> Options::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options())
    if (option->count() > 0)
      names.push_back(option->get_positional() ? option->get_type_name() : name_to_type(*option));
  return names;
}

std::string Options::command_line(const std::vector<std::string>& left_out) const {
  std::string arguments;
  for (const CLI::Option* option : app_->get_options())
    if (option->get_positional()) arguments += typed(*option);
  return "rlctl " + app_->get_name() + arguments + options_line(left_out);
}

std::string Options::options_line(const std::vector<std::string>& left_out) const {
  std::string line;
  for (const CLI::Option* option : app_->get_options()) {
    const bool stays = std::ranges::find(left_out, name_to_type(*option)) == left_out.end();
    if (!option->get_positional() && stays) line += typed(*option);
  }
  return line;
}

}  // namespace rlctl
