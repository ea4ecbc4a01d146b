#include "limiter/manifest_proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostNumber = 32;

// One use of KEYS[n] or ARGV[n].
struct TableUse {
  std::size_t number = 0;
  std::size_t from = 0;  // in its line
  std::size_t to = 0;
};

std::vector<TableUse> uses_in(std::string_view line, const std::string& table) {
  std::vector<TableUse> uses;
  for (std::size_t at = 0; (at = line.find(table + "[", at)) != line.npos;) {
    const std::size_t open = at + table.size() + 1;
    const std::size_t close = std::min(line.find(']', open), line.size());
    const auto number = parse_whole<std::size_t>(line.substr(open, close - open));
    if (number && *number >= 1 && *number <= kMostNumber) uses.push_back({*number, at, close + 1});
    at = close;
  }
  return uses;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_letter(text[word.size()]));
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.ends_with(word) &&
         (text.size() == word.size() || !is_letter(text[text.size() - word.size() - 1]));
}

// Whether the value is asked for before it is used: `if x then`, `x or 1`, `x ~= nil`.
bool is_asked(std::string_view line, const TableUse& use) {
  const std::string_view after = trimmed(line.substr(std::min(use.to, line.size())), " )\t");
  const std::string_view before = trimmed(line.substr(0, use.from), " (\t");
  const auto follows = [&](const char* word) { return begins_with_word(after, word); };
  const bool compared = after.starts_with("==") || after.starts_with("~=");
  const std::string_view other = trimmed(after.substr(compared ? 2 : 0));
  if (compared) return begins_with_word(other, "nil") || begins_with_word(other, "false");
  return follows("or") || follows("and") || follows("then") ||
         ((ends_with_word(before, "if") || ends_with_word(before, "not")) && after.empty());
}

// The variable that the use is assigned to: `local limit, window = ARGV[1], ARGV[2]`.
std::string variable_of(std::string_view line, const TableUse& use) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos || equals > use.from) return {};
  std::string_view names = trimmed(line.substr(0, equals));
  if (names.starts_with("local ")) names.remove_prefix(6);
  const auto before = split_at_commas(line.substr(equals + 1, use.from - equals - 1));
  const auto variables = split_at_commas(names);
  return before.size() <= variables.size() ? std::string(variables[before.size() - 1]) : "";
}

bool may_be_absent(std::string_view line, const TableUse& use) {
  const std::string_view after = trimmed(line.substr(std::min(use.to, line.size())), " )\t");
  const std::string_view before = trimmed(line.substr(0, use.from), " (\t");
  return is_asked(line, use) || after.starts_with("==") || after.starts_with("~=") ||
         before.ends_with("==") || before.ends_with("~=");
}

// Whether a whole word of the line is `name`, and meant so: `meant` gets where it begins and ends.
template <typename Meant>
bool any_word(std::string_view line, std::string_view name, Meant meant) {
  for (std::size_t at = 0; (at = line.find(name, at)) != line.npos; at += name.size()) {
    const std::size_t end = at + name.size();
    const bool whole = (at == 0 || !is_name_character(line[at - 1])) &&
                       (end == line.size() || !is_name_character(line[end]));
    if (whole && meant(at, end)) return true;
  }
  return false;
}

// Whether a line asks for the variable.
bool is_variable_asked(std::string_view line, std::string_view name) {
  return any_word(line, name, [&](std::size_t from, std::size_t to) {
    return is_asked(line, {0, from, to});
  });
}

// Asked for itself, or assigned to a variable that is asked for.
bool is_optional(const std::vector<std::string>& lines, const std::string& line,
                 const TableUse& use) {
  if (may_be_absent(line, use)) return true;
  const std::string_view before = trimmed(std::string_view(line).substr(0, use.from));
  const bool assigned =
      before.ends_with('=') || before.ends_with(',') || before.ends_with("tonumber(");
  const std::string variable = assigned ? variable_of(line, use) : "";
  return !variable.empty() && std::ranges::any_of(lines, [&](const std::string& other) {
    return is_variable_asked(other, variable);
  });
}

// `#KEYS`, `unpack(KEYS)`: the script takes as many as there are.
bool takes_all(std::string_view line, std::string_view table) {
  return any_word(line, table, [&](std::size_t /*from*/, std::size_t to) {
    return to == line.size() || line[to] != '[';
  });
}

// The highest number that the script needs; 0: none.
std::size_t most_needed(const std::vector<std::string>& lines, const std::string& table) {
  std::vector<std::size_t> needed;
  std::vector<std::size_t> optional;
  for (const std::string& line : lines) {
    if (takes_all(line, table)) return 0;
    for (const TableUse& use : uses_in(line, table))
      (is_optional(lines, line, use) ? optional : needed).push_back(use.number);
  }
  for (const std::size_t number : optional) std::erase(needed, number);
  return needed.empty() ? 0 : std::ranges::max(needed);
}

// The highest number that the script mentions; 0: none.
std::size_t most_read(const std::vector<std::string>& lines, const std::string& table) {
  std::size_t most = 0;
  for (const std::string& line : lines)
    for (const TableUse& use : uses_in(line, table)) most = std::max(most, use.number);
  return most;
}

std::string unit_of(const std::string& name, const std::string& line, const std::string& script) {
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  if (ends("_us") || ends("micros")) return "us";
  const bool counts_ms = lower_case(name.empty() ? line : script).find("pexpire") != script.npos;
  return ends("ms") || ends("millis") || counts_ms ? "ms" : "s";
}

struct NameGuess {
  const char* part;  // of the variable's name
  const char* argument;
  bool has_unit = false;
};
constexpr NameGuess kGuesses[] = {
    {"burst", "capacity"},
    {"capacity", "capacity"},
    {"limit", "limit"},
    {"max", "limit"},
    {"quota", "limit"},
    {"window", "window_", true},
    {"period", "window_", true},
    {"interval", "window_", true},
    {"ttl", "ttl_", true},
    {"expir", "ttl_", true},
    {"now", "now_", true},
    {"time", "now_", true},
    {"cost", "cost"},
    {"request", "cost"},
    {"rate", "rate_per_s"},
    {"uuid", "uuid"},
    {"member", "uuid"},
    {"id", "uuid"},
};

std::string guess(const std::string& line, const TableUse& use, const std::string& script) {
  const std::string name = lower_case(variable_of(line, use));
  const auto known = std::ranges::find_if(
      kGuesses, [&](const NameGuess& one) { return name.find(one.part) != name.npos; });
  if (known != std::end(kGuesses))
    return known->argument + (known->has_unit ? unit_of(name, line, script) : "");
  const std::string lower = lower_case(line);
  if (lower.find("expire") < use.from || lower.find("setex") < use.from)
    return "window_" + unit_of("", line, script);
  const bool compares = line.find('<') != line.npos || line.find('>') != line.npos;
  return compares ? "limit" : "'?'";
}

std::string proposed_args(const std::vector<std::string>& lines, const std::string& script) {
  std::map<std::size_t, std::string> guesses;
  for (const std::string& line : lines)
    for (const TableUse& use : uses_in(line, "ARGV")) {
      std::string& known = guesses.try_emplace(use.number, "'?'").first->second;
      if (known == "'?'") known = guess(line, use, script);
    }
  std::vector<std::string> args;
  for (const auto& [number, argument] : guesses) {
    args.resize(number, "'?'");
    args.back() = argument;
  }
  return joined(args);
}

std::string proposed_keys(const std::vector<std::string>& lines) {
  std::size_t most = 1;
  for (const std::string& line : lines)
    for (const TableUse& use : uses_in(line, "KEYS")) most = std::max(most, use.number);
  std::vector<std::string> keys{"<key>"};
  for (std::size_t i = 2; i <= most; ++i) keys.push_back(fmt::format("<key>:{}", i));
  return joined(keys);
}

// A script that returns its count decides in the program that calls it.
std::string proposed_reply(const std::vector<std::string>& lines) {
  bool decides = false;
  std::string counter;
  for (const std::string& line : lines) {
    const std::size_t at = line.find("return ");
    if (at == line.npos) continue;
    const std::string_view value = trimmed(std::string_view(line).substr(at + 7), " \t;");
    if (value.starts_with("{"))
      return split_at_commas(value.substr(1)).size() > 1 ? "allowed, remaining" : "allowed";
    const bool is_name = !value.empty() && is_letter(value.front());
    decides = decides || !is_name || value.starts_with("true") || value.starts_with("false");
  }
  return decides ? "allowed" : "allowed = reply <= limit, count = reply";
}

// "ARGV[2], but the manifest gives no args"; empty if enough are given.
std::string missing_of(const std::vector<std::string>& lines, const std::string& table,
                       std::size_t given, const char* name) {
  const std::size_t most = most_needed(lines, table);
  if (most <= given) return {};
  return fmt::format("the script reads {}[{}], but the manifest gives {} {}", table, most,
                     given == 0 ? "no" : fmt::format("only {}", given),
                     given == 1 ? name : std::string(name) + "s");
}

}  // namespace

std::vector<std::string> code_lines(std::string_view script) {
  std::string code;
  for (std::size_t at = 0; at < script.size(); ++at) {
    const bool comment = script.substr(at).starts_with("--");
    const bool block = comment && script.substr(at).starts_with("--[[");
    const std::size_t from = at;
    if (comment) at = std::min(script.find(block ? "]]" : "\n", at), script.size());
    if (block)
      code.append(
          static_cast<std::size_t>(std::ranges::count(script.substr(from, at - from), '\n')), '\n');
    if (at < script.size()) code += block ? ' ' : script[at];
  }
  return split(code, '\n');
}

std::string proposed_manifest(std::string_view script) {
  const std::vector<std::string> lines = code_lines(script);
  const std::string args = proposed_args(lines, std::string(script));
  std::string text = "\n  -- rlctl: keys  = " + proposed_keys(lines);
  if (!args.empty()) text += "\n  -- rlctl: args  = " + args;
  return text + "\n  -- rlctl: reply = " + proposed_reply(lines);
}

ScriptReads reads_of(std::string_view script) {
  const std::vector<std::string> lines = code_lines(script);
  return {most_read(lines, "KEYS"), most_read(lines, "ARGV")};
}

std::string missing_in_manifest(std::string_view script, const Manifest& manifest) {
  const std::vector<std::string> lines = code_lines(script);
  std::string missing = missing_of(lines, "KEYS", manifest.keys.size(), "key");
  return missing.empty() ? missing_of(lines, "ARGV", manifest.args.size(), "arg") : missing;
}

}  // namespace rlctl
