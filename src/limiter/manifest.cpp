#include "limiter/manifest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/template_text.h"
#include "base/text.h"
#include "base/units.h"
#include "limiter/manifest_proposal.h"
#include "limiter/shipped/layout_call.h"

namespace rlctl {
namespace {

constexpr std::string_view kMark = "rlctl:";

struct ReplyName {
  std::string_view name;
  ReplyField field;
  std::int64_t unit_us;
};
constexpr ReplyName kReplyNames[] = {
    {"allowed", ReplyField::allowed, 1},
    {"remaining", ReplyField::remaining, 1},
    {"count", ReplyField::count, 1},
    {"retry_after_us", ReplyField::retry_after, 1},
    {"retry_after_ms", ReplyField::retry_after, 1'000},
    {"retry_after_s", ReplyField::retry_after, 1'000'000},
    {"decided_us", ReplyField::decided, 1},
    {"decided_ms", ReplyField::decided, 1'000},
    {"decided_s", ReplyField::decided, 1'000'000},
    {"decided_from_us", ReplyField::decided_from, 1},
    {"decided_from_ms", ReplyField::decided_from, 1'000},
    {"decided_from_s", ReplyField::decided_from, 1'000'000},
    {"delay_us", ReplyField::delay, 1},
    {"delay_ms", ReplyField::delay, 1'000},
    {"delay_s", ReplyField::delay, 1'000'000},
    {"reset_us", ReplyField::reset, 1},
    {"reset_ms", ReplyField::reset, 1'000},
    {"reset_s", ReplyField::reset, 1'000'000},
    {"_", ReplyField::skip, 1},
};

// One `name = value` line and its position.
struct Setting {
  std::string value;
  std::string place;  // file:line
};
using Settings = std::map<std::string, Setting, std::less<>>;

// "allowed, remaining", from the rows of a table.
template <typename Rows>
std::string names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return joined(names);
}

template <typename Rows>
std::string one_of_names(const Rows& rows) {
  return "it is one of " + names_in(rows);
}

[[noreturn]] void refuse(const std::string& place, const std::string& what, std::string hint) {
  throw Error(Exit::usage, escape_for_terminal(place) + ": " + what, std::move(hint));
}

// Lines of a text with their numbers, from 1.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  for (int number = 1; !text.empty(); ++number) {
    if (!use(take_until(text, '\n'), number)) return;
  }
}

// A line's text after `--`; empty when the opening comment has ended.
bool comment_of(std::string_view line, std::string_view& comment) {
  line = trimmed(line, kBlanksAndLineEnds);
  if (line.empty() || line.starts_with("#!")) return comment = {}, true;
  if (!line.starts_with("--")) return false;
  line.remove_prefix(std::min(line.find_first_not_of('-'), line.size()));
  return comment = trimmed(line, kBlanksAndLineEnds), true;
}

// The first sentence of the script's opening comment.
std::string summary_of(std::string_view script) {
  std::string text;
  for_each_line(script, [&](std::string_view line, int) {
    std::string_view comment;
    if (!comment_of(line, comment) || comment.starts_with(kMark)) return false;
    if (comment.empty()) return text.empty();
    text += (text.empty() ? "" : " ") + std::string(comment);
    return true;
  });
  const auto stop = text.find(". ");
  return stop == text.npos ? text : text.substr(0, stop + 1);
}

// `rows`: a table of words (base/words.h).
template <typename Rows>
auto choose(const Setting& setting, const std::string& what, const Rows& rows) {
  for (const auto& row : rows)
    if (row.name == setting.value) return row.meaning;
  refuse(setting.place, in_quotes(setting.value) + " is not a " + what, one_of_names(rows));
}

bool is_in_quotes(std::string_view text) {
  return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
         text.back() == text.front();
}

Argument parse_argument(const std::string& text, const std::string& place) {
  if (is_in_quotes(text)) return {ArgumentKind::literal, text.substr(1, text.size() - 2)};
  const auto kind = meaning_of<ArgumentKind>(text);
  if (!kind)
    refuse(place, in_quotes(text) + " is not an argument",
           one_of_names(words_of(ArgumentKind{})) + ", or a text in quotes");
  return {*kind, {}};
}

std::vector<Argument> parse_arguments(const Setting& setting) {
  std::vector<Argument> arguments;
  for (const std::string& part : split_at_commas(setting.value)) {
    arguments.push_back(parse_argument(part, setting.place));
  }
  return arguments;
}

ReplyValue parse_reply_value(const std::string& part, const std::string& place) {
  const auto equals = part.find('=');
  const std::string name(trimmed(std::string_view(part).substr(0, equals)));
  const auto found = std::ranges::find(kReplyNames, name, &ReplyName::name);
  if (found == std::end(kReplyNames))
    refuse(place, in_quotes(name) + " is not a reply value", one_of_names(kReplyNames));
  std::string expression;
  if (equals != part.npos) expression = trimmed(std::string_view(part).substr(equals + 1));
  if (equals != part.npos && (expression.empty() || expression.front() == '=')) {
    refuse(place, in_quotes(name) + " has no expression",
           "for example: allowed = reply[1] <= limit");
  }
  return {found->field, found->unit_us, std::move(expression), name};
}

std::vector<ReplyValue> parse_reply(const Setting& setting) {
  std::vector<ReplyValue> values;
  for (const std::string& part : split_at_commas(setting.value)) {
    ReplyValue value = parse_reply_value(part, setting.place);
    const bool twice = value.field != ReplyField::skip &&
                       std::ranges::find(values, value.field, &ReplyValue::field) != values.end();
    if (twice)
      refuse(setting.place, in_quotes(value.name) + " is given twice", "give each value once");
    if (!values.empty() && values.front().expression.empty() != value.expression.empty()) {
      refuse(setting.place, "a reply is either names by position or `name = expression` throughout",
             "by position, use `_` to skip a value");
    }
    values.push_back(std::move(value));
  }
  if (std::ranges::find(values, ReplyField::allowed, &ReplyValue::field) == values.end()) {
    refuse(setting.place, "the reply does not say which value is `allowed`",
           "for example: reply = allowed, remaining");
  }
  return values;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_character) && !is_digit(text.front());
}

// A key in quotes is what is between them: '' is the empty key.
std::vector<std::string> parse_keys(const Setting& setting) {
  std::vector<std::string> keys = split_at_commas(setting.value);
  for (std::string& key : keys) {
    if (key.empty())
      refuse(setting.place, "a key is empty",
             "for example: keys = <key>, <block_key>; write '' for the empty key");
    if (is_in_quotes(key)) key = key.substr(1, key.size() - 2);
  }
  return keys;
}

// `<limit>` is an argument, a word with <key> the name of a key, and any other word is itself.
Argument parse_command_word(const std::string& word, const std::string& place) {
  const std::vector<TemplatePart> parts = template_parts(word);
  const auto is_placeholder = [](const TemplatePart& part) {
    return part.kind == TemplatePart::Kind::word;
  };
  if (std::ranges::none_of(parts, is_placeholder)) return {ArgumentKind::literal, word};
  if (std::ranges::find(parts, "key", &TemplatePart::name) != parts.end())
    return {ArgumentKind::literal, word};
  const auto kind = meaning_of<ArgumentKind>(parts.front().name);
  if (!kind || parts.size() > 1 || *kind == ArgumentKind::actual_cost)
    refuse(place, in_quotes(word) + " is not known",
           "write <key>, or in angle brackets one of " + names_in(words_of(ArgumentKind{})));
  return {*kind, {}};
}

void take_command(const Setting& setting, Manifest& manifest) {
  constexpr const char* kExample = "for example: CL.THROTTLE <key> 99 100 60 1";
  const auto words = shell_words(setting.value);
  if (!words) refuse(setting.place, "a quote is not closed", kExample);
  manifest.keys.clear();
  for (const std::string& word : *words) {
    manifest.command.push_back(parse_command_word(word, setting.place));
    const Argument& part = manifest.command.back();
    if (part.is_template())
      manifest.keys.push_back(word);
    else if (part.kind != ArgumentKind::literal)
      manifest.args.push_back(part);
  }
  if (manifest.keys.empty() || manifest.command.front().is_template())
    refuse(setting.place, "no word after its name has <key>", kExample);
}

template <std::string Manifest::*text>
void take_text(const Setting& setting, Manifest& manifest) {
  manifest.*text = setting.value;
}

void take_keys(const Setting& setting, Manifest& manifest) { manifest.keys = parse_keys(setting); }

void take_arguments(const Setting& setting, Manifest& manifest) {
  manifest.args = parse_arguments(setting);
}

void take_reply(const Setting& setting, Manifest& manifest) {
  manifest.reply = parse_reply(setting);
}

void take_state(const Setting& setting, Manifest& manifest) {
  manifest.state = parse_state(setting.value, setting.place);
}

// Any numbers: a promise reads the same with all of them.
constexpr RuleNumbers kAnyNumbers{1, 1'000'000, 1};

void take_contract(const Setting& setting, Manifest& manifest) {
  TextMistake mistake;
  if (!read_rules(setting.value, mistake, kAnyNumbers))
    refuse(setting.place, "contract: " + in_quotes(setting.value) + ": " + mistake.what,
           "for example: contract = limit/window first-hit, or: bucket capacity + limit/window");
  manifest.contract = setting.value;
}

void take_run(const Setting& setting, Manifest& manifest) {
  manifest.run = choose(setting, "place to run", words_of(RunPlace{}));
}

void take_clock(const Setting& setting, Manifest& manifest) {
  manifest.clock = choose(setting, "clock", words_of(ClockSource{}));
  if (manifest.clock == ClockSource::argument && !manifest.is_told_time())
    refuse(setting.place, "clock = argument, but no argument is the time",
           "add now_us, now_ms or now_s to args, or <window_number> to a key");
}

void take_tolerance(const Setting& setting, Manifest& manifest) {
  try {
    manifest.tolerance_us = parse_duration_us(setting.value, "tolerance");
  } catch (const Error& error) {
    refuse(setting.place, error.what(), error.hint());
  }
}

// parse_manifest has put the lines for which it stands into the settings.
void take_library(const Setting&, Manifest&) {}

// The names of a manifest, taken in this order: `clock` needs the arguments.
struct SettingRow {
  std::string_view name;
  void (*take)(const Setting&, Manifest&);
};
constexpr SettingRow kSettings[] = {
    {"name", take_text<&Manifest::name>},
    {"summary", take_text<&Manifest::summary>},
    {"as", take_library},
    {"keys", take_keys},
    {"args", take_arguments},
    {"command", take_command},
    {"reply", take_reply},
    {"contract", take_contract},
    {"run", take_run},
    {"clock", take_clock},
    {"tolerance", take_tolerance},
    {"state", take_state},
    {"used", take_text<&Manifest::used>},
    {"frees_us", take_text<&Manifest::frees_us>},
    {"setup", take_text<&Manifest::setup>},
    {"finish", take_text<&Manifest::finish>},
    {"cost", take_text<&Manifest::cost>},
    {"flaw", take_text<&Manifest::flaw>},
};

void add_setting(Settings& settings, std::string_view line, const std::string& place) {
  const auto equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  if (equals == line.npos) {
    refuse(place, in_quotes(name) + " has no value", "a manifest line is `name = value`");
  }
  if (std::ranges::find(kSettings, name, &SettingRow::name) == std::end(kSettings))
    refuse(place, in_quotes(name) + " is not a manifest name", one_of_names(kSettings));
  Setting setting{std::string(trimmed(line.substr(equals + 1))), place};
  if (setting.value.empty())
    refuse(place, in_quotes(name) + " is empty", "leave the line out instead");
  const auto [old, is_new] = settings.try_emplace(name, std::move(setting));
  if (!is_new) {
    refuse(place, in_quotes(name) + " is given twice",
           old->second.place == place ? "give it once" : "the first is at " + old->second.place);
  }
}

Settings settings_in_comment(const ManifestText& script) {
  Settings settings;
  for_each_line(script.text, [&](std::string_view line, int number) {
    std::string_view comment;
    if (!comment_of(line, comment)) return false;
    if (comment.starts_with(kMark)) {
      add_setting(settings, comment.substr(kMark.size()),
                  script.name + ':' + std::to_string(number));
    }
    return true;
  });
  return settings;
}

Settings settings_in_lines(const ManifestText& source) {
  Settings settings;
  for_each_line(source.text, [&](std::string_view line, int number) {
    line = trimmed(line, kBlanksAndLineEnds);
    const std::string place = source.name.empty()
                                  ? std::string(trimmed(line.substr(0, line.find('='))))
                                  : source.name + ':' + std::to_string(number);
    if (line.starts_with("--")) {
      std::string_view comment;
      comment_of(line, comment);
      line = comment.starts_with(kMark) ? comment.substr(kMark.size()) : std::string_view{};
    }
    if (!line.empty() && !line.starts_with('#')) add_setting(settings, line, place);
    return true;
  });
  return settings;
}

Manifest manifest_from(const Settings& settings, const ManifestText& script) {
  Manifest manifest;
  manifest.summary = summary_of(script.text);
  manifest.keys = {"<key>"};
  for (const SettingRow& row : kSettings)
    if (const auto found = settings.find(row.name); found != settings.end())
      row.take(found->second, manifest);
  // Default: a script with a time argument uses that time; any other uses the expiry of its keys.
  if (!settings.contains("clock"))
    manifest.clock = manifest.is_told_time() ? ClockSource::argument : ClockSource::expiry;
  return manifest;
}

void refuse_actual_cost(const Setting& args) {
  for (const Argument& argument : parse_arguments(args))
    if (argument.kind == ArgumentKind::actual_cost)
      refuse(args.place, "the actual cost is known only at the finish",
             "take actual_cost in the script that `finish` names");
}

// The state while splitting: open brackets, and the current quote.
struct Nesting {
  int depth = 0;
  char quote = 0;
  bool escaped = false;

  bool at_top(char c) {
    if (quote != 0) {
      if (!escaped && c == quote) quote = 0;
      escaped = !escaped && c == '\\';
      return false;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    return depth == 0 && quote == 0;
  }
};

}  // namespace

bool tells_time(ArgumentKind kind) {
  return kind >= ArgumentKind::now_us && kind <= ArgumentKind::expires_ms;
}

std::string Argument::name() const { return name_of(kind); }

bool Manifest::takes(ArgumentKind kind) const {
  return std::ranges::find(args, kind, &Argument::kind) != args.end();
}

bool Manifest::takes_now() const {
  return std::ranges::any_of(args, [](const Argument& each) { return tells_time(each.kind); });
}

bool Manifest::names_window() const {
  return std::ranges::any_of(keys, [](const std::string& key) {
    return key.find("window_number>") != key.npos || key.find("<window_start_ms>") != key.npos;
  });
}

bool Manifest::names_period() const {
  return std::ranges::any_of(
      keys, [](const std::string& key) { return key.find("<period>") != key.npos; });
}

bool Manifest::is_told_time() const { return takes_now() || names_window(); }

bool Manifest::is_given_time() const {
  return names_window() || (takes_now() && clock != ClockSource::redis);
}

bool Manifest::replies_expressions() const {
  return !reply.empty() && !reply.front().expression.empty();
}

bool Manifest::reports(ReplyField field) const {
  return std::ranges::find(reply, field, &ReplyValue::field) != reply.end();
}

Rules Manifest::promises(const RuleNumbers& numbers) const {
  // It was read before: only a step may refill no whole number now. Then nothing is promised.
  TextMistake mistake;
  return read_rules(contract, mistake, numbers).value_or(Rules());
}

std::optional<RuleKind> Manifest::counts_by() const {
  const Rules rules = promises(kAnyNumbers);
  return rules.empty() ? std::nullopt : std::optional(rules.front().kind);
}

std::int64_t tolerance_us_of(const Manifest& manifest) {
  if (manifest.tolerance_us) return *manifest.tolerance_us;
  const bool in_us = manifest.clock == ClockSource::redis || manifest.takes(ArgumentKind::now_us);
  return in_us ? 0 : 1'000;
}

State parse_state(const std::string& value, const std::string& place) {
  const std::string_view text = value;
  const auto colon = text.find(':');
  State state;
  state.type = choose(Setting{std::string(trimmed(text.substr(0, colon))), place}, "type of key",
                      words_of(StateType{}));
  if (colon == text.npos) return state;
  const std::string_view rest = text.substr(colon + 1);
  const auto semicolon = rest.find(';');
  if (semicolon != rest.npos) state.words = trimmed(rest.substr(semicolon + 1));
  state.names = split_at_commas(rest.substr(0, semicolon));
  for (const std::string& name : state.names) {
    if (!is_name(name)) {
      refuse(place, in_quotes(name) + " is not a name for a part of the state",
             "for example: state = list: at_us; one entry per admission");
    }
  }
  return state;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  Nesting nesting;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!nesting.at_top(text[i]) || text[i] != ',') continue;
    parts.emplace_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  parts.emplace_back(trimmed(text.substr(start)));
  return parts;
}

namespace {

void refuse_lines_of_scripts(const Settings& settings) {
  for (const char* name : {"keys", "args", "as", "run", "setup", "finish"})
    if (const auto found = settings.find(name); found != settings.end())
      refuse(found->second.place, std::string("a command has no ") + name,
             "its keys and arguments are among its words");
}

std::string begin_with(const std::string& script) {
  return "for example (a guess: check what each ARGV is), in a comment at its top:" +
         proposed_manifest(script);
}

}  // namespace

Manifest parse_manifest(const ManifestText& script, const ManifestText& beside,
                        const ManifestText& given) {
  Settings settings = settings_in_lines(given);
  settings.merge(settings_in_lines(beside));  // merge keeps what is there: the later source wins
  settings.merge(settings_in_comment(script));
  const bool is_command = settings.contains("command");
  if (is_command) refuse_lines_of_scripts(settings);
  if (const auto as = settings.find("as"); as != settings.end()) {
    const bool is_base = settings.contains("keys") || settings.contains("args");
    const std::string& library = as->second.value;
    settings.merge(
        settings_in_lines({"as " + library, layout_call(library, reads_of(script.text), is_base)}));
  }
  if (!settings.contains("reply") && is_command)
    refuse("command", "nothing says when its reply means allowed",
           "for example: --allowed 'reply[1] == 0', in a file \"allowed\": \"reply[1] == 0\"");
  if (!settings.contains("reply"))
    refuse(script.name, "the manifest does not say what the reply means", begin_with(script.text));
  if (const auto args = settings.find("args"); args != settings.end())
    refuse_actual_cost(args->second);
  Manifest manifest = manifest_from(settings, script);
  if (is_command && !script.text.empty())
    refuse(settings.find("command")->second.place, "a script has no line `command`",
           "use the script or the command");
  if (const std::string missing = missing_in_manifest(script.text, manifest); !missing.empty())
    refuse(script.name, missing, begin_with(script.text));
  return manifest;
}

Manifest parse_companion_manifest(const ManifestText& script) {
  const Settings settings = settings_in_comment(script);
  for (const char* name : {"reply", "contract", "setup", "finish", "state", "flaw"})
    if (const auto found = settings.find(name); found != settings.end())
      refuse(found->second.place, std::string("a script for setup or finish has no ") + name,
             "it has keys, args, run and clock");
  return manifest_from(settings, script);
}

}  // namespace rlctl
