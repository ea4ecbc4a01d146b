#include "limiter/manifest.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kMark = "rlctl:";

constexpr std::array<std::string_view, 19> kArgumentNames = {
    "limit",  "cost",       "capacity", "window_us", "window_ms",   "window_s",   "window_ns",
    "now_us", "now_ms",     "now_s",    "now_ns",    "now_float_s", "expires_ms", "ttl_ms",
    "ttl_s",  "rate_per_s", "leak_ms",  "block_ms",  "uuid"};

constexpr std::array<std::string_view, 14> kSettings = {
    "name", "summary", "keys",  "args", "reply",    "contract", "counts_denied",
    "run",  "clock",   "state", "used", "frees_us", "cost",     "flaw"};

struct ReplyName {
  std::string_view name;
  ReplyField field;
  std::int64_t unit_us;
};
constexpr std::array<ReplyName, 16> kReplyNames = {{
    {"allowed", ReplyField::allowed, 1},
    {"remaining", ReplyField::remaining, 1},
    {"count", ReplyField::count, 1},
    {"retry_after_us", ReplyField::retry_after, 1},
    {"retry_after_ms", ReplyField::retry_after, 1'000},
    {"retry_after_s", ReplyField::retry_after, 1'000'000},
    {"decided_us", ReplyField::decided, 1},
    {"decided_ms", ReplyField::decided, 1'000},
    {"decided_s", ReplyField::decided, 1'000'000},
    {"delay_us", ReplyField::delay, 1},
    {"delay_ms", ReplyField::delay, 1'000},
    {"delay_s", ReplyField::delay, 1'000'000},
    {"reset_us", ReplyField::reset, 1},
    {"reset_ms", ReplyField::reset, 1'000},
    {"reset_s", ReplyField::reset, 1'000'000},
    {"_", ReplyField::skip, 1},
}};

constexpr Word<bool> kTruthWords[] = {{"true", true}, {"false", false}};

// One `name = value` line and its position.
struct Setting {
  std::string value;
  std::string place;  // file:line
};
using Settings = std::map<std::string, Setting, std::less<>>;

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

void add_setting(Settings& settings, std::string_view line, const std::string& place) {
  const auto equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  if (equals == line.npos) {
    refuse(place, in_quotes(name) + " has no value", "a manifest line is `name = value`");
  }
  if (std::ranges::find(kSettings, name) == kSettings.end()) {
    refuse(place, in_quotes(name) + " is not a manifest name", "it is one of " + joined(kSettings));
  }
  Setting setting{std::string(trimmed(line.substr(equals + 1))), place};
  if (setting.value.empty())
    refuse(place, in_quotes(name) + " is empty", "leave the line out instead");
  const auto [old, is_new] = settings.try_emplace(name, std::move(setting));
  if (!is_new) {
    refuse(place, in_quotes(name) + " is given twice", "the first is at " + old->second.place);
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
    const std::string place = source.name + ':' + std::to_string(number);
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
  std::vector<std::string> known;
  for (const auto& row : rows) {
    if (row.name == setting.value) return row.meaning;
    known.emplace_back(row.name);
  }
  refuse(setting.place, in_quotes(setting.value) + " is not a " + what,
         "it is one of " + listed(known));
}

Argument parse_argument(const std::string& text, const std::string& place) {
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"')) {
    if (text.back() == text.front())
      return {ArgumentKind::literal, text.substr(1, text.size() - 2)};
  }
  const auto found = std::ranges::find(kArgumentNames, text);
  if (found == kArgumentNames.end()) {
    refuse(place, in_quotes(text) + " is not an argument",
           "it is one of " + joined(kArgumentNames) + ", or a text in quotes");
  }
  return {static_cast<ArgumentKind>(found - kArgumentNames.begin()), {}};
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
  if (found == kReplyNames.end()) {
    std::vector<std::string_view> known;
    for (const auto& reply_name : kReplyNames) known.push_back(reply_name.name);
    refuse(place, in_quotes(name) + " is not a reply value", "it is one of " + joined(known));
  }
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

State parse_state(const Setting& setting) {
  const std::string_view text = setting.value;
  const auto colon = text.find(':');
  State state;
  state.type = choose(Setting{std::string(trimmed(text.substr(0, colon))), setting.place},
                      "type of key", words_of(StateType{}));
  if (colon == text.npos) return state;
  const std::string_view rest = text.substr(colon + 1);
  const auto semicolon = rest.find(';');
  if (semicolon != rest.npos) state.words = trimmed(rest.substr(semicolon + 1));
  state.names = split_at_commas(rest.substr(0, semicolon));
  for (const std::string& name : state.names) {
    if (!is_name(name)) {
      refuse(setting.place, in_quotes(name) + " is not a name for a part of the state",
             "for example: state = list: at_us; one entry per admission");
    }
  }
  return state;
}

std::vector<std::string> parse_keys(const Setting& setting) {
  std::vector<std::string> keys = split_at_commas(setting.value);
  for (const std::string& key : keys) {
    if (key.empty())
      refuse(setting.place, "a key is empty", "for example: keys = <key>, <block_key>");
  }
  return keys;
}

// The settings that are plain text.
void take_texts(Settings& settings, Manifest& manifest) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"name", &manifest.name},         {"summary", &manifest.summary}, {"used", &manifest.used},
      {"frees_us", &manifest.frees_us}, {"cost", &manifest.cost},       {"flaw", &manifest.flaw},
  };
  for (const auto& [name, text] : texts) {
    if (const auto found = settings.find(name); found != settings.end())
      *text = found->second.value;
  }
}

void take_choices(const Settings& settings, Manifest& manifest) {
  if (const auto found = settings.find("contract"); found != settings.end()) {
    manifest.contract = choose(found->second, "contract", words_of(ContractKind{}));
  }
  if (const auto found = settings.find("counts_denied"); found != settings.end()) {
    manifest.counts_denied = choose(found->second, "value of counts_denied", kTruthWords);
  }
  if (const auto found = settings.find("run"); found != settings.end()) {
    manifest.run = choose(found->second, "place to run", words_of(RunPlace{}));
  }
}

// Default: a script with a time argument uses that time; any other uses the expiry of its keys.
void take_clock(const Settings& settings, Manifest& manifest) {
  manifest.clock = manifest.is_told_time() ? ClockSource::argument : ClockSource::expiry;
  const auto found = settings.find("clock");
  if (found == settings.end()) return;
  manifest.clock = choose(found->second, "clock", words_of(ClockSource{}));
  if (manifest.clock == ClockSource::argument && !manifest.is_told_time()) {
    refuse(found->second.place, "clock = argument, but no argument is the time",
           "add now_us, now_ms or now_s to args, or <window_number> to a key");
  }
}

Manifest manifest_from(Settings settings, const ManifestText& script) {
  Manifest manifest;
  manifest.summary = summary_of(script.text);
  manifest.keys = {"<key>"};
  take_texts(settings, manifest);
  take_choices(settings, manifest);
  if (const auto found = settings.find("keys"); found != settings.end()) {
    manifest.keys = parse_keys(found->second);
  }
  if (const auto found = settings.find("args"); found != settings.end()) {
    manifest.args = parse_arguments(found->second);
  }
  if (const auto found = settings.find("state"); found != settings.end()) {
    manifest.state = parse_state(found->second);
  }
  take_clock(settings, manifest);
  const auto reply = settings.find("reply");
  if (reply == settings.end()) {
    refuse(script.name, "the manifest does not say what the reply means",
           "add a comment line such as: -- rlctl: reply = allowed, remaining");
  }
  manifest.reply = parse_reply(reply->second);
  return manifest;
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

std::string Argument::name() const {
  if (kind == ArgumentKind::literal) return {};
  return std::string(kArgumentNames[static_cast<std::size_t>(kind)]);
}

bool Manifest::takes(ArgumentKind kind) const {
  return std::ranges::find(args, kind, &Argument::kind) != args.end();
}

bool Manifest::takes_now() const {
  return std::ranges::any_of(args, [](const Argument& each) { return tells_time(each.kind); });
}

bool Manifest::is_told_time() const {
  const auto names_window = [](const std::string& key) {
    return key.find("window_number>") != key.npos || key.find("<window_start_ms>") != key.npos;
  };
  return takes_now() || std::ranges::any_of(keys, names_window);
}

bool Manifest::replies_expressions() const {
  return !reply.empty() && !reply.front().expression.empty();
}

bool Manifest::reports(ReplyField field) const {
  return std::ranges::find(reply, field, &ReplyValue::field) != reply.end();
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

Manifest parse_manifest(const ManifestText& script, const ManifestText& beside,
                        const ManifestText& given) {
  Settings settings = settings_in_lines(given);
  settings.merge(settings_in_lines(beside));  // merge keeps what is there: the later source wins
  settings.merge(settings_in_comment(script));
  return manifest_from(std::move(settings), script);
}

}  // namespace rlctl
