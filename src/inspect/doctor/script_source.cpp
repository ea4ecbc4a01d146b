#include "inspect/doctor/script_source.h"

#include <algorithm>
#include <regex>
#include <set>
#include <span>

#include "base/text.h"
#include "limiter/manifest_proposal.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestStatement = 400;
constexpr std::size_t kDeepestBlock = 100;

const std::set<std::string> kWrites{"set",  "incr",    "incrby",       "incrbyfloat",
                                    "hset", "hincrby", "hincrbyfloat", "hmset",
                                    "zadd", "rpush",   "lpush"};
const std::set<std::string> kExpires{"expire", "pexpire", "expireat", "pexpireat",
                                     "setex",  "psetex",  "getex"};
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

std::vector<RedisCall> calls_in(const std::string& code) {
  static const std::regex kCall(R"(\bp?call\s*\(\s*['"](\w+)['"])");
  std::vector<RedisCall> calls;
  for (std::sregex_iterator at(code.begin(), code.end(), kCall), none; at != none; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    RedisCall call{lower_case(at->str(1)), arguments_at(code, code.find('(', begin)), begin, false};
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

// Makes steps of the code, by its words.
class BlockReader {
 public:
  BlockReader(std::string_view code, std::span<RedisCall> calls) : code_(code), calls_(calls) {
    next();
  }

  // The body of the script first; empty if blocks are nested too deeply.
  std::vector<std::vector<LuaStep>> read() {
    std::vector<LuaStep> body;
    while (!word_.empty()) {
      take_block(body, 0);
      next();  // an `end` too many
    }
    bodies_.insert(bodies_.begin(), std::move(body));
    if (too_deep_) bodies_.clear();
    return std::move(bodies_);
  }

 private:
  using Steps = std::vector<LuaStep>;

  bool ends_block() const {
    return word_.empty() || word_ == "end" || word_ == "else" || word_ == "elseif" ||
           word_ == "until";
  }

  void next() {
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == '\'' || c == '"') {
        skip_string(c);
      } else if (is_letter(c) || c == '_') {
        word_at_ = at_;
        while (at_ < code_.size() && is_name_character(code_[at_])) ++at_;
        word_ = code_.substr(word_at_, at_ - word_at_);
        return;
      } else {
        ++at_;
      }
    }
    word_ = {};
  }

  // To the quote that closes it, or to the end of the line.
  void skip_string(char quote) {
    for (++at_; at_ < code_.size() && code_[at_] != '\n'; ++at_) {
      if (code_[at_] == quote) break;
      if (code_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, code_.size());
  }

  void take_block(Steps& steps, std::size_t depth) {
    too_deep_ = too_deep_ || depth > kDeepestBlock;
    while (!ends_block() && !too_deep_) take_word(steps, depth);
  }

  void take_word(Steps& steps, std::size_t depth) {
    if (word_ == "if") return take_choice(steps, depth);
    if (word_ == "function") return take_function(depth);
    if (word_ == "return") return take_leave(steps, depth);
    if (word_ == "do" || word_ == "repeat") {
      const std::string_view last = word_ == "do" ? "end" : "until";
      next();
      take_block(steps, depth + 1);
      if (word_ == last) next();
      return;
    }
    take_call(steps);
    next();
  }

  void take_call(Steps& steps) {
    while (next_call_ < calls_.size() && calls_[next_call_].at < word_at_) ++next_call_;
    if (next_call_ == calls_.size() || calls_[next_call_].at != word_at_) return;
    calls_[next_call_].conditional = choices_ > 0;
    steps.push_back({LuaStep::Kind::call, word_at_, next_call_, {}});
  }

  // What a return computes comes to nothing that a later step could see.
  void take_leave(Steps& steps, std::size_t depth) {
    steps.push_back({LuaStep::Kind::leave, word_at_, 0, {}});
    next();
    Steps computed;
    take_block(computed, depth + 1);
  }

  void take_function(std::size_t depth) {
    next();
    Steps body;
    take_block(body, depth + 1);
    if (word_ == "end") next();
    bodies_.push_back(std::move(body));
  }

  void take_choice(Steps& steps, std::size_t depth) {
    LuaStep choice{LuaStep::Kind::choice, word_at_, 0, {}};
    bool asked = true;
    while (word_ == "if" || word_ == "elseif" || (word_ == "else" && asked)) {
      LuaStep::Branch branch;
      asked = word_ != "else";
      next();
      if (asked) branch.condition = take_condition(choice.branches.empty() ? steps : branch.steps);
      ++choices_;
      take_block(branch.steps, depth + 1);
      --choices_;
      choice.branches.push_back(std::move(branch));
    }
    if (word_ == "end") next();
    steps.push_back(std::move(choice));
  }

  std::string take_condition(Steps& steps) {
    const std::size_t begin = word_at_;
    while (!word_.empty() && word_ != "then") {
      take_call(steps);
      next();
    }
    const std::string condition(code_.substr(begin, word_.empty() ? 0 : word_at_ - begin));
    next();
    return condition;
  }

  std::string_view code_;
  std::span<RedisCall> calls_;
  std::vector<Steps> bodies_;
  std::string_view word_;  // empty: the end
  std::size_t word_at_ = 0;
  std::size_t at_ = 0;
  std::size_t next_call_ = 0;
  std::size_t choices_ = 0;  // that are open
  bool too_deep_ = false;
};

}  // namespace

bool RedisCall::has_any(std::initializer_list<std::string_view> words) const {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    const std::string plain = lower_case(trimmed(argument, " '\""));
    return std::ranges::any_of(words, [&](std::string_view word) { return plain == word; });
  });
}

bool RedisCall::writes() const { return kWrites.contains(command); }

bool RedisCall::sets_expiry() const {
  return kExpires.contains(command) ||
         (command == "set" && has_any({"ex", "px", "exat", "pxat", "keepttl"}));
}

ScriptSource::ScriptSource(std::string_view text)
    : code(examined_code(text)), calls(calls_in(code)), keys(keys_by_variable(code)) {
  bodies = BlockReader(code, calls).read();
}

std::string ScriptSource::key_of(const RedisCall& call) const {
  if (call.arguments.empty()) return {};
  const std::string& text = call.arguments.front();
  const auto found = keys.find(text);
  if (found != keys.end()) return found->second;
  return text.starts_with("KEYS[") && is_digit(text[5]) ? text : std::string();
}

}  // namespace rlctl
