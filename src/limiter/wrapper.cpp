#include "limiter/wrapper.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/script_sha1.h"
#include "limiter/shipped/embedded.h"

namespace rlctl {
namespace {

constexpr std::string_view kAlgorithmMark = "-- rlctl: algorithm\n";
constexpr std::string_view kValuesMark = "-- rlctl: values\n";

// How Redis converts a Lua value to a reply: numbers lose their fraction, true is 1.
constexpr std::string_view kConversions = R"(local function as_sent(value)
  if type(value) == 'number' then return value < 0 and math.ceil(value) or math.floor(value) end
  if value == true then return 1 end
  if type(value) ~= 'table' then return value or false end
  if value.ok then return value.ok end
  local sent = {}
  for i, each in ipairs(value) do sent[i] = as_sent(each) end
  return sent
end
local function element(reply, position)
  if type(reply) == 'table' then return reply[position] end
  return position == 1 and reply or nil
end
local function truth(value) return value == true or (tonumber(value) or 0) > 0 end
local function number(value, unit) return tonumber(value) and math.ceil(tonumber(value) * unit) end
)";

std::string_view wrapper_text(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.text;
  }
  throw std::logic_error("the wrapper is not embedded");
}

const char* field_name(ReplyField field) {
  switch (field) {
    case ReplyField::allowed:
      return "allowed";
    case ReplyField::remaining:
      return "remaining";
    case ReplyField::retry_after:
      return "retry_after";
    case ReplyField::decided:
      return "decided";
    case ReplyField::decided_from:
      return "decided_from";
    case ReplyField::delay:
      return "delay";
    default:
      return nullptr;  // not part of the wrapped reply
  }
}

// The Lua code that reads one value from `reply`.
std::string reading(const ReplyValue& value, std::size_t position) {
  std::string text = value.expression;
  if (text.empty()) text = "element(reply, " + std::to_string(position) + ")";
  if (value.field == ReplyField::allowed) return "truth((" + text + "))";
  return "number((" + text + "), " + std::to_string(value.unit_us) + ")";
}

// `values_of(reply)`: a table of the values that the manifest names. Expressions use the arguments
// by their names.
std::string values_function(const Manifest& manifest) {
  std::string text(kConversions);
  text += "local function values_of(raw)\n  local reply = as_sent(raw)\n";
  for (std::size_t i = 0; manifest.replies_expressions() && i < manifest.args.size(); ++i) {
    const std::string name = manifest.args[i].name();
    const std::string value = "ARGV[" + std::to_string(i + 1) + "]";
    if (!name.empty()) text += "  local " + name + " = tonumber(" + value + ") or " + value + "\n";
  }
  text += "  return {\n";
  for (std::size_t i = 0; i < manifest.reply.size(); ++i) {
    const char* const name = field_name(manifest.reply[i].field);
    if (name != nullptr)
      text += std::string("    ") + name + " = " + reading(manifest.reply[i], i + 1) + ",\n";
  }
  return text + "  }\nend\n";
}

bool mentions(const std::string& expression, const std::string& name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (auto at = expression.find(name); at != expression.npos; at = expression.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !is_word(expression[at - 1])) &&
        (end == expression.size() || !is_word(expression[end])))
      return true;
  }
  return false;
}

// A name that the expressions use but the script does not take becomes an argument after the
// script's own. Above all that is `limit`: many limiters leave the comparison to their client.
void pass_what_expressions_name(Manifest& manifest) {
  for (const ArgumentKind kind :
       {ArgumentKind::limit, ArgumentKind::cost, ArgumentKind::capacity, ArgumentKind::window_us,
        ArgumentKind::window_ms, ArgumentKind::window_s}) {
    const Argument argument{kind, {}};
    const auto named = [&](const ReplyValue& value) {
      return mentions(value.expression, argument.name());
    };
    if (!manifest.takes(kind) && std::ranges::any_of(manifest.reply, named))
      manifest.args.push_back(argument);
  }
}

void put(std::string& text, std::string_view mark, std::string_view with) {
  const auto at = text.find(mark);
  if (at == text.npos) throw std::logic_error("the wrapper has no place for the script");
  text.replace(at, mark.size(), with);
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// If the first line is #!lua, it stays the first line.
// `line`: the lines before the script's own first line.
std::string wrapped(std::string_view wrapper, std::string_view script, const Manifest& manifest,
                    std::size_t& line) {
  std::string first_line;
  if (script.starts_with("#!")) {
    const auto end = std::min(script.find('\n'), script.size() - 1);
    first_line = script.substr(0, end + 1);
    script.remove_prefix(end + 1);
  }
  std::string text(wrapper);
  put(text, kValuesMark, values_function(manifest));
  line = lines_in(std::string_view(text).substr(0, text.find(kAlgorithmMark)));
  put(text, kAlgorithmMark, std::string(script) + "\n");
  return first_line + text;
}

ReplyValue value_at(const Manifest& manifest, ReplyField field, const char* name) {
  return manifest.reports(field) ? ReplyValue{field, 1, {}, name}
                                 : ReplyValue{ReplyField::skip, 1, {}, "_"};
}

bool is_stamp(const ReplyValue& value) {
  return value.field == ReplyField::decided || value.field == ReplyField::decided_from;
}

void forget_stamps(Manifest& manifest) {
  if (manifest.replies_expressions()) {
    std::erase_if(manifest.reply, is_stamp);
    return;
  }
  for (ReplyValue& value : manifest.reply)
    if (is_stamp(value)) value = {ReplyField::skip, 1, {}, "_"};
}

void finish(Script& script, std::string_view wrapper) {
  Manifest& manifest = script.manifest;
  const bool is_stamped = manifest.run == RunPlace::server || manifest.reports(ReplyField::decided);
  pass_what_expressions_name(manifest);
  if (script.own_lines == 0) script.own_lines = lines_in(script.text) + 1;
  std::size_t line = 0;
  script.text = wrapped(wrapper_text(wrapper), script.text, manifest, line);
  script.lines_before += line;
  script.sha1 = script_sha1(script.text);
  const auto stamp = [&](ReplyField field, const char* name) {
    return is_stamped ? ReplyValue{field, 1, {}, name} : ReplyValue{ReplyField::skip, 1, {}, "_"};
  };
  manifest.reply = {{ReplyField::allowed, 1, {}, "allowed"},
                    value_at(manifest, ReplyField::remaining, "remaining"),
                    value_at(manifest, ReplyField::retry_after, "retry_after_us"),
                    stamp(ReplyField::decided, "decided_us"),
                    value_at(manifest, ReplyField::delay, "delay_us"),
                    stamp(ReplyField::decided_from, "decided_from_us")};
}

}  // namespace

Script with_block(Script script) {
  Manifest& manifest = script.manifest;
  if (manifest.is_command())
    throw Error(Exit::usage,
                in_quotes(script.name) + " is a command: rlctl can't add a block to it",
                "omit the block, or call the command from a script");
  if (std::ranges::find(manifest.keys, "<block_key>") != manifest.keys.end()) {
    throw Error(Exit::usage, in_quotes(script.name) + " already has its own block flag",
                "omit --block");
  }
  finish(script, "wrappers/block.lua");
  manifest.reply[2] = {ReplyField::retry_after, 1, {}, "retry_after_us"};
  manifest.keys.push_back("<block_key>");
  const ArgumentKind now = manifest.is_told_time() ? ArgumentKind::now_us : ArgumentKind::literal;
  for (const ArgumentKind kind :
       {ArgumentKind::block_ms, ArgumentKind::window_ms, ArgumentKind::ttl_ms, now}) {
    manifest.args.push_back({kind, {}});
  }
  return script;
}

Script with_stamps(Script script) {
  const Manifest& manifest = script.manifest;
  if (manifest.is_given_time())
    forget_stamps(script.manifest);
  else if (manifest.run == RunPlace::server && !manifest.is_command() &&
           !manifest.reports(ReplyField::decided))
    finish(script, "wrappers/stamp.lua");
  return script;
}

Script run_at(Script script, RunPlace place) {
  Manifest& manifest = script.manifest;
  if (manifest.is_command() && place == RunPlace::client)
    throw Error(Exit::usage, in_quotes(script.name) + " is a command: it is one step in Redis",
                "omit --run");
  if (manifest.run == RunPlace::server && place == RunPlace::client) forget_stamps(manifest);
  manifest.run = place;
  return script;
}

}  // namespace rlctl
