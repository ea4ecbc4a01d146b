#include "inspect/doctor/script_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/escape.h"
#include "base/text.h"
#include "inspect/doctor/script_paths.h"
#include "inspect/doctor/script_source.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestSeen = 200;

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

struct Source {
  std::string name;
  ScriptSource script;
  const std::string& code = script.code;
  const std::vector<RedisCall>& calls = script.calls;

  const RedisCall* first(const std::set<std::string>& commands) const {
    const auto found = std::ranges::find_if(
        calls, [&](const RedisCall& call) { return commands.contains(call.command); });
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
  for (const RedisCall& call : source.calls)
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

// The first write whose key no call gives an expiry. A plain SET takes it away, so one must follow.
const RedisCall* lasting_write(const Source& source) {
  std::map<std::string, std::size_t> last_expiry;  // of each key; "": of a key that is not known
  for (const RedisCall& call : source.calls)
    if (call.sets_expiry()) last_expiry[source.script.key_of(call)] = call.at;
  for (const RedisCall& call : source.calls) {
    if (!call.writes() || call.sets_expiry()) continue;
    const std::string key = source.script.key_of(call);
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
    if (trimmed(at->str(2), " '\"") == "1") continue;
    const std::regex first(R"(\bif\s*\(?\s*(?:tonumber\s*\(\s*)?)" + at->str(1) +
                           R"(\s*\)?\s*==\s*['"]?1\b)");
    std::smatch found;
    if (std::regex_search(source.code, found, first))
      return source.tell(Ailment::writes_without_expiry, static_cast<std::size_t>(found.position()),
                         findings);
  }
}

void examine_expiry(const Source& source, HealthFindings& findings) {
  if (const RedisCall* const write = lasting_write(source))
    return source.tell(Ailment::writes_without_expiry, write->at, findings);
  if (const auto path = path_without_expiry(source.script))
    return source.tell(Ailment::writes_without_expiry, *path, findings);
  examine_first_cost(source, findings);
  const bool counts = source.first({"incr", "incrby", "hincrby"}) != nullptr;
  const bool logs = source.first({"zadd", "rpush", "lpush", "hset", "hmset"}) != nullptr;
  if (!counts || logs) return;
  for (const RedisCall& call : source.calls)
    if ((call.command == "expire" || call.command == "pexpire") && !call.conditional &&
        !call.has_any({"nx"}))
      return source.tell(Ailment::renewed_expiry, call.at, findings);
}

void examine_random(const Source& source, RandomWrites random_writes, HealthFindings& findings) {
  const RedisCall* const random = source.first(kRandom);
  if (random == nullptr || random_writes == RandomWrites::not_asked ||
      source.code.find("replicate_commands") != std::string::npos)
    return;
  for (const RedisCall& call : source.calls)
    if (call.at > random->at &&
        (call.writes() || call.sets_expiry() || kRemoves.contains(call.command)))
      return source.tell(random_writes == RandomWrites::refused ? Ailment::write_refused
                                                                : Ailment::time_before_write,
                         call.at, findings);
}

// local n = redis.call('ZCARD', key) … if n <= limit … ZADD, or the call itself in the condition.
void examine_comparison(const Source& source, HealthFindings& findings) {
  static const std::string kCall = R"((?:redis\.)?p?call\s*\(\s*['"](?:zcard|zcount|llen|get)['"])";
  static const std::string kLimit = R"(\s*<=\s*(?:tonumber\s*\(\s*)?(?:limit|max|ARGV)\w*)";
  static const std::regex kRead(R"((\w+)\s*=\s*(?:tonumber\s*\(\s*)?)" + kCall, std::regex::icase);
  static const std::regex kCompared(kCall + R"([^\n;]*\))" + kLimit, std::regex::icase);
  const RedisCall* const write = source.first({"zadd", "rpush", "lpush", "incr", "incrby"});
  if (write == nullptr) return;
  const auto tell_between = [&](auto from, const std::regex& compared) {
    const auto to = source.code.begin() + static_cast<std::ptrdiff_t>(write->at);
    std::smatch found;
    if (from < to && std::regex_search(from, to, found, compared))
      source.tell(Ailment::one_too_many,
                  static_cast<std::size_t>(found[0].first - source.code.begin()), findings);
  };
  tell_between(source.code.begin(), kCompared);
  for (std::sregex_iterator at(source.code.begin(), source.code.end(), kRead), none; at != none;
       ++at)
    tell_between(source.code.begin() + at->position(),
                 std::regex("\\b" + at->str(1) + kLimit, std::regex::icase));
}

}  // namespace

void examine_script(const std::string& name, std::string_view text, RandomWrites random_writes,
                    HealthFindings& findings) {
  const Source source{name, ScriptSource(text)};
  examine_members(source, findings);
  examine_digits(source, findings);
  examine_expiry(source, findings);
  examine_comparison(source, findings);
  examine_random(source, random_writes, findings);
}

}  // namespace rlctl
