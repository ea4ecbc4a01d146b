#include "inspect/doctor/script_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "limiter/manifest_proposal.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestStatement = 400;
constexpr std::size_t kLongestSeen = 200;

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
const std::set<std::string> kRemoves{"del",
                                     "unlink",
                                     "zremrangebyscore",
                                     "zremrangebyrank",
                                     "zrem",
                                     "lpop",
                                     "rpop",
                                     "lrem",
                                     "ltrim",
                                     "hdel",
                                     "decr",
                                     "decrby"};
// Redis before 5 takes no write after these.
const std::set<std::string> kRandom{"time", "randomkey", "srandmember", "lastsave",
                                    "scan", "sscan",     "hscan",       "zscan"};

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

// `local counter, flag = KEYS[1], KEYS[2]`: the key by its name in the script.
std::map<std::string, std::string> keys_by_variable(const std::string& code) {
  static const std::regex kAssigned(R"(\blocal\s+(\w+(?:\s*,\s*\w+)*)\s*=\s*([^\n;]+))");
  static const std::regex kKey(R"(KEYS\s*\[\s*\d+\s*\])");
  std::map<std::string, std::string> keys;
  for (std::sregex_iterator at(code.begin(), code.end(), kAssigned), none; at != none; ++at) {
    const std::vector<std::string> names = split(at->str(1), ',');
    const std::vector<std::string> values = split(at->str(2), ',');
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
      if (const std::string value(trimmed(values[i], kBlanksAndLineEnds));
          std::regex_match(value, kKey))
        keys[std::string(trimmed(names[i]))] = value;
  }
  return keys;
}

struct Source {
  std::string name;
  std::string code;
  std::vector<Call> calls;
  std::map<std::string, std::string> keys;

  // "KEYS[1]"; empty: not known.
  std::string key_of(const Call& call) const {
    if (call.arguments.empty()) return {};
    const std::string& text = call.arguments.front();
    const auto found = keys.find(text);
    if (found != keys.end()) return found->second;
    return text.starts_with("KEYS[") && is_digit(text[5]) ? text : std::string();
  }

  const Call* first(const std::set<std::string>& commands) const {
    const auto found = std::ranges::find_if(
        calls, [&](const Call& call) { return commands.contains(call.command); });
    return found == calls.end() ? nullptr : &*found;
  }
  void tell(Ailment kind, std::size_t at, HealthFindings& findings) const {
    const auto line =
        std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    std::string_view rest = std::string_view(code).substr(code.rfind('\n', at) + 1);
    findings.push_back(
        {kind, fmt::format("{}:{}: {}", escape_for_terminal(name), line + 1,
                           in_quotes(trimmed(take_until(rest, '\n')).substr(0, kLongestSeen)))});
  }
};

// ZADD key time time
void examine_members(const Source& source, HealthFindings& findings) {
  for (const Call& call : source.calls)
    if (call.command == "zadd" && call.arguments.size() == 3 &&
        (call.arguments[2] == call.arguments[1] ||
         call.arguments[2] == "tostring(" + call.arguments[1] + ")"))
      return source.tell(Ailment::member_is_time, call.at, findings);
}

// A time in microseconds that becomes text: by tostring, or by joining.
void examine_digits(const Source& source, HealthFindings& findings) {
  static const std::string kMicroseconds = R"(\*\s*(?:1000000\b|1e6\b|1000\s*\*\s*1000\b))";
  static const std::regex kAtOnce(R"(\btostring\s*\([^\n;]*)" + kMicroseconds);
  static const std::regex kAssigned(R"(\b(\w+)\s*=[^\n;=]*)" + kMicroseconds);
  std::smatch found;
  if (std::regex_search(source.code, found, kAtOnce))
    return source.tell(Ailment::time_loses_digits, static_cast<std::size_t>(found.position()),
                       findings);
  for (std::sregex_iterator at(source.code.begin(), source.code.end(), kAssigned), none; at != none;
       ++at) {
    const std::string& name = at->str(1);
    const std::regex written(R"(\btostring\s*\(\s*)" + name + R"(\s*\)|\b)" + name +
                             R"(\s*\.\.|\.\.\s*)" + name + R"(\b)");
    if (std::regex_search(source.code, found, written))
      return source.tell(Ailment::time_loses_digits, static_cast<std::size_t>(found.position()),
                         findings);
  }
}

bool sets_expiry(const Call& call) {
  return kExpires.contains(call.command) ||
         (call.command == "set" && has_any(call, {"ex", "px", "exat", "pxat", "keepttl"}));
}

// The first write whose key no call gives an expiry. A plain SET takes it away, so one must follow.
const Call* lasting_write(const Source& source) {
  std::map<std::string, std::size_t> last_expiry;  // of each key; "": of a key that is not known
  for (const Call& call : source.calls)
    if (sets_expiry(call)) last_expiry[source.key_of(call)] = call.at;
  for (const Call& call : source.calls) {
    if (!kWrites.contains(call.command) || sets_expiry(call)) continue;
    const std::string key = source.key_of(call);
    if (!last_expiry.empty() && (key.empty() || last_expiry.contains(""))) continue;
    const auto expiry = last_expiry.find(key);
    if (expiry == last_expiry.end()) return &call;
    if (call.command == "set" && expiry->second < call.at) return &call;
  }
  return nullptr;
}

// n = INCRBY key cost … if n == 1: a first request that costs 2 sets no expiry.
void examine_first_cost(const Source& source, HealthFindings& findings) {
  static const std::regex kCounted(R"((\w+)\s*=\s*(?:tonumber\s*\(\s*)?(?:redis\.)?p?call\s*\(\s*)"
                                   R"(['"]incrby['"]\s*,[^\n;,]+,\s*([^\n;)]+)\))",
                                   std::regex::icase);
  for (std::sregex_iterator at(source.code.begin(), source.code.end(), kCounted), none; at != none;
       ++at) {
    if (is_any(at->str(2), {"1"})) continue;
    const std::regex first(R"(\bif\s*\(?\s*(?:tonumber\s*\(\s*)?)" + at->str(1) +
                           R"(\s*\)?\s*==\s*['"]?1\b)");
    std::smatch found;
    if (std::regex_search(source.code, found, first))
      return source.tell(Ailment::writes_without_expiry, static_cast<std::size_t>(found.position()),
                         findings);
  }
}

void examine_expiry(const Source& source, HealthFindings& findings) {
  if (const Call* const write = lasting_write(source))
    return source.tell(Ailment::writes_without_expiry, write->at, findings);
  examine_first_cost(source, findings);
  const bool counts = source.first({"incr", "incrby"}) != nullptr;
  const bool logs = source.first({"zadd", "rpush", "lpush", "hset", "hincrby"}) != nullptr;
  if (!counts || logs) return;
  for (const Call& call : source.calls)
    if ((call.command == "expire" || call.command == "pexpire") && !call.conditional &&
        !has_any(call, {"nx"}))
      return source.tell(Ailment::renewed_expiry, call.at, findings);
}

void examine_random(const Source& source, RandomWrites random_writes, HealthFindings& findings) {
  const Call* const random = source.first(kRandom);
  if (random == nullptr || random_writes == RandomWrites::not_asked ||
      source.code.find("replicate_commands") != std::string::npos)
    return;
  for (const Call& call : source.calls)
    if (call.at > random->at &&
        (kWrites.contains(call.command) || sets_expiry(call) || kRemoves.contains(call.command)))
      return source.tell(random_writes == RandomWrites::refused ? Ailment::write_refused
                                                                : Ailment::time_before_write,
                         call.at, findings);
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

// The lines of the code. std::regex descends with each character that it matches, so nothing that
// it can run along may be long: an empty line becomes a `;`, and so does the inside of a statement
// that no person has written.
std::string examined_code(std::string_view text) {
  std::string code;
  for (const std::string& line : code_lines(text)) {
    std::string kept;
    for (const std::string& statement : split(line, ';')) {
      if (!kept.empty()) kept += ';';
      if (statement.size() <= kLongestStatement) kept += statement;
    }
    if (!code.empty()) code += '\n';
    code += trimmed(kept, kBlanksAndLineEnds).empty() ? ";" : kept;
  }
  return code;
}

}  // namespace

void examine_script(const std::string& name, std::string_view text, RandomWrites random_writes,
                    HealthFindings& findings) {
  Source source{name, examined_code(text), {}, {}};
  source.calls = calls_in(source.code);
  source.keys = keys_by_variable(source.code);
  examine_members(source, findings);
  examine_digits(source, findings);
  examine_expiry(source, findings);
  examine_comparison(source, findings);
  examine_random(source, random_writes, findings);
}

}  // namespace rlctl
