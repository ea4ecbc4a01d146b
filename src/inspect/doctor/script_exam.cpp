#include "inspect/doctor/script_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "limiter/manifest_proposal.h"

namespace rlctl {
namespace {

// One redis.call.
struct Call {
  std::string command;                 // in lower case
  std::vector<std::string> arguments;  // as they are written, after the command
  std::size_t at = 0;                  // in the code
  bool conditional = false;            // within an if
};

const std::set<std::string> kWrites{"set",  "incr",    "incrby",       "incrbyfloat",
                                    "hset", "hincrby", "hincrbyfloat", "hmset",
                                    "zadd", "rpush",   "lpush"};
const std::set<std::string> kExpires{"expire", "pexpire", "expireat", "pexpireat",
                                     "setex",  "psetex",  "getex"};

bool is_any(const std::string& argument, std::initializer_list<std::string_view> words) {
  const std::string plain = lower_case(trimmed(argument, " '\""));
  return std::ranges::any_of(words, [&](std::string_view word) { return plain == word; });
}

bool has_any(const Call& call, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(call.arguments,
                             [&](const std::string& argument) { return is_any(argument, words); });
}

// The arguments between the parentheses that open at `open`.
std::vector<std::string> arguments_at(std::string_view code, std::size_t open) {
  std::vector<std::string> arguments{""};
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0) break;
    if (c == ',' && depth == 1)
      arguments.emplace_back();
    else if (i > open)
      arguments.back() += c;
  }
  for (std::string& argument : arguments) argument = trimmed(argument, kBlanksAndLineEnds);
  return arguments;
}

// Whether the place is within an if: blocks that are open there.
bool is_conditional(const std::string& code, std::size_t place) {
  static const std::regex kWords(R"(\b(if|for|while|repeat|function|end|until)\b)");
  std::vector<bool> open;  // whether it is an if
  for (std::sregex_iterator
           at(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(place), kWords),
       none;
       at != none; ++at) {
    const std::string word = at->str();
    if (word != "end" && word != "until")
      open.push_back(word == "if");
    else if (!open.empty())
      open.pop_back();
  }
  return std::ranges::find(open, true) != open.end();
}

std::vector<Call> calls_in(const std::string& code) {
  static const std::regex kCall(R"(\bp?call\s*\(\s*['"](\w+)['"])");
  std::vector<Call> calls;
  for (std::sregex_iterator at(code.begin(), code.end(), kCall), none; at != none; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    Call call{lower_case(at->str(1)), arguments_at(code, code.find('(', begin)), begin,
              is_conditional(code, begin)};
    call.arguments.erase(call.arguments.begin());
    calls.push_back(std::move(call));
  }
  return calls;
}

struct Source {
  std::string name;
  std::string code;
  std::vector<Call> calls;

  const Call* first(const std::set<std::string>& commands) const {
    const auto found = std::ranges::find_if(
        calls, [&](const Call& call) { return commands.contains(call.command); });
    return found == calls.end() ? nullptr : &*found;
  }
  void tell(Ailment kind, std::size_t at, HealthFindings& findings) const {
    const auto line =
        std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    std::string_view rest = std::string_view(code).substr(code.rfind('\n', at) + 1);
    findings.push_back({kind, fmt::format("{}:{}: {}", escape_for_terminal(name), line + 1,
                                          in_quotes(trimmed(take_until(rest, '\n'))))});
  }
};

// ZADD key time time
void examine_members(const Source& source, HealthFindings& findings) {
  for (const Call& call : source.calls)
    if (call.command == "zadd" && call.arguments.size() == 3 &&
        call.arguments[1] == call.arguments[2])
      return source.tell(Ailment::member_is_time, call.at, findings);
}

void examine_digits(const Source& source, HealthFindings& findings) {
  static const std::regex kMicroseconds(R"(\*\s*(1000000\b|1e6\b|1000\s*\*\s*1000\b))");
  const std::size_t place = source.code.find("tostring(");
  if (place != std::string::npos && std::regex_search(source.code, kMicroseconds))
    source.tell(Ailment::time_loses_digits, place, findings);
}

void examine_expiry(const Source& source, HealthFindings& findings) {
  const Call* const write = source.first(kWrites);
  const Call* const expire = source.first(kExpires);
  const bool set_with_expiry = std::ranges::any_of(source.calls, [](const Call& call) {
    return call.command == "set" && has_any(call, {"ex", "px", "exat", "pxat", "keepttl"});
  });
  if (write != nullptr && expire == nullptr && !set_with_expiry)
    return source.tell(Ailment::writes_without_expiry, write->at, findings);
  const bool counts = source.first({"incr", "incrby"}) != nullptr;
  const bool logs = source.first({"zadd", "rpush", "lpush", "hset", "hincrby"}) != nullptr;
  if (!counts || logs) return;
  for (const Call& call : source.calls)
    if ((call.command == "expire" || call.command == "pexpire") && !call.conditional &&
        !has_any(call, {"nx"}))
      return source.tell(Ailment::renewed_expiry, call.at, findings);
}

// local n = redis.call('ZCARD', key) … if n <= limit … ZADD
void examine_comparison(const Source& source, HealthFindings& findings) {
  static const std::regex kRead(R"((\w+)\s*=\s*(?:tonumber\s*\(\s*)?(?:redis\.)?p?call\s*\(\s*)"
                                R"(['"](zcard|zcount|llen|get)['"])",
                                std::regex::icase);
  const Call* const write = source.first({"zadd", "rpush", "lpush", "incr", "incrby"});
  if (write == nullptr) return;
  for (std::sregex_iterator at(source.code.begin(), source.code.end(), kRead), none; at != none;
       ++at) {
    const std::regex compared(
        "\\b" + at->str(1) + R"(\s*<=\s*(?:tonumber\s*\(\s*)?(limit|max|ARGV)\w*)",
        std::regex::icase);
    std::smatch found;
    const auto from = source.code.begin() + at->position();
    const auto to = source.code.begin() + static_cast<std::ptrdiff_t>(write->at);
    if (from < to && std::regex_search(from, to, found, compared))
      source.tell(Ailment::one_too_many,
                  static_cast<std::size_t>(found[0].first - source.code.begin()), findings);
  }
}

}  // namespace

void examine_script(const std::string& name, std::string_view text, HealthFindings& findings) {
  Source source{name, joined(code_lines(text), "\n"), {}};
  source.calls = calls_in(source.code);
  examine_members(source, findings);
  examine_digits(source, findings);
  examine_expiry(source, findings);
  examine_comparison(source, findings);
}

}  // namespace rlctl
