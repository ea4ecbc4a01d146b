#include "inspect/doctor/script_paths.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"

namespace rlctl {
namespace {

using Words = std::set<std::string, std::less<>>;

// Functions whose result has nothing from Redis, unless their arguments have.
const Words kPure{"tonumber", "tostring", "floor", "ceil",   "max",   "min",    "format", "sub",
                  "len",      "unpack",   "abs",   "ipairs", "pairs", "select", "type",   "match"};

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_name_character(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

// What is called in an expression: words before a parenthesis.
bool asks_others(const std::string& expression) {
  static const std::regex kCalled(R"((\w+)\s*\()");
  for (std::sregex_iterator at(expression.begin(), expression.end(), kCalled), none; at != none;
       ++at)
    if (!kPure.contains(at->str(1))) return true;
  return false;
}

// To the end of the line, or further as long as a parenthesis is open.
std::string expression_at(const std::string& code, std::size_t begin) {
  int depth = 0;
  std::size_t end = begin;
  for (; end < code.size() && (code[end] != '\n' || depth > 0) && code[end] != ';'; ++end) {
    if (code[end] == '(' || code[end] == '{') ++depth;
    if (code[end] == ')' || code[end] == '}') --depth;
  }
  return code.substr(begin, end - begin);
}

// Of one key, at one place of a path.
struct PathState {
  bool pending = false;  // written, and without an expiry
  bool covered = false;
  bool known = false;  // Redis was asked: the key may be there, with the expiry of its first write
  std::size_t written_at = 0;
};

struct PathWalk {
  std::string key;
  std::optional<std::size_t> leaves_at;
};

constexpr PathState kCovered{false, true, false, 0};

class Paths {
 public:
  explicit Paths(const ScriptSource& source) : source_(source) { find_answers(); }

  std::optional<std::size_t> without_expiry() {
    for (const auto& body : source_.bodies)
      for (const std::string& key : keys_with_expiry(body)) {
        PathWalk walk{key, {}};
        PathState state;
        if (run(body, walk, state) && state.pending && !walk.leaves_at)
          walk.leaves_at = state.written_at;
        if (walk.leaves_at) return walk.leaves_at;
      }
    return std::nullopt;
  }

 private:
  // The variables that depend on what Redis answered, and the parameters of functions.
  void find_answers() {
    static const std::regex kAssigned(R"((\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*=(?!=))");
    static const std::regex kParameters(R"(\bfunction\b[^\n(]*\(([^\n)]*)\))");
    const std::string& code = source_.code;
    for (std::sregex_iterator at(code.begin(), code.end(), kParameters), none; at != none; ++at)
      for (std::string& word : words_in(at->str(1)))
        if (lower_case(word) != "keys" && lower_case(word) != "argv" && word != "args")
          answers_.insert(std::move(word));
    struct Assignment {
      std::vector<std::string> names;
      std::string value;
    };
    std::vector<Assignment> assignments;
    for (std::sregex_iterator at(code.begin(), code.end(), kAssigned), none; at != none; ++at)
      assignments.push_back(
          {words_in(at->str(1)),
           expression_at(code, static_cast<std::size_t>(at->position() + at->length()))});
    for (std::size_t before = answers_.size() + 1; before != answers_.size();) {
      before = answers_.size();
      for (const Assignment& one : assignments)
        if (depends(one.value)) answers_.insert(one.names.begin(), one.names.end());
    }
  }

  bool depends(const std::string& expression) const {
    const std::vector<std::string> words = words_in(expression);
    return asks_others(expression) ||
           std::ranges::any_of(words, [&](const auto& word) { return answers_.contains(word); });
  }

  // Whether it compares what Redis answered with a number that is written there: `n > 1`.
  bool tells_new_from_old(const std::string& condition) const {
    return depends(condition) &&
           std::ranges::all_of(words_in(condition), [&](const std::string& word) {
             return answers_.contains(word) || is_digit(word.front()) || kPure.contains(word) ||
                    word == "not" || word == "and" || word == "or" || word == "nil" ||
                    word == "false" || word == "if" || word == "elseif";
           });
  }

  std::string key_of(const RedisCall& call) const {
    const std::string key = source_.key_of(call);
    return !key.empty() || call.arguments.empty() ? key : call.arguments.front();
  }

  void add_keys(const std::vector<LuaStep>& steps, std::set<std::string>& keys) const {
    for (const LuaStep& step : steps) {
      if (step.kind == LuaStep::Kind::call && source_.calls[step.call].sets_expiry())
        keys.insert(key_of(source_.calls[step.call]));
      for (const LuaStep::Branch& branch : step.branches) add_keys(branch.steps, keys);
    }
  }

  std::set<std::string> keys_with_expiry(const std::vector<LuaStep>& body) const {
    std::set<std::string> keys;
    add_keys(body, keys);
    return keys;
  }

  void take(const RedisCall& call, const std::string& key, PathState& state) const {
    const bool same = key_of(call) == key;
    if (call.sets_expiry()) {
      // One whose key is computed may be of any.
      if (same || source_.key_of(call).empty()) state = kCovered;
    } else if (same && (call.command == "del" || call.command == "unlink")) {
      state = {};
    } else if (same && call.writes() &&
               (!(state.covered || state.known) || call.command == "set")) {
      state = {true, false, state.known, call.at};
    }
  }

  // Whether it comes to the end of these steps.
  bool run(const std::vector<LuaStep>& steps, PathWalk& walk, PathState& state) const {
    for (const LuaStep& step : steps) {
      if (step.kind == LuaStep::Kind::call) take(source_.calls[step.call], walk.key, state);
      if (step.kind == LuaStep::Kind::choice && !choose(step, walk, state)) return false;
      if (step.kind != LuaStep::Kind::leave) continue;
      if (state.pending && !walk.leaves_at) walk.leaves_at = step.at;
      return false;
    }
    return true;
  }

  bool choose(const LuaStep& choice, PathWalk& walk, PathState& state) const {
    const PathState before = state;
    std::vector<PathState> ends;
    bool covers = false;  // a branch does, after Redis was asked
    bool asked = false;
    for (const LuaStep::Branch& branch : choice.branches) {
      asked = asked || depends(branch.condition);
      PathWalk inside{walk.key, {}};
      PathState end = before;
      end.known = asked || before.known;
      const bool goes_on = run(branch.steps, inside, end);
      if (!walk.leaves_at && !tells_new_from_old(branch.condition))
        walk.leaves_at = inside.leaves_at;
      covers = covers || (asked && end.covered);
      end.known = before.known;
      if (goes_on) ends.push_back(end);
    }
    if (!choice.branches.back().condition.empty()) ends.push_back(before);
    if (ends.empty()) return false;
    const auto pending = std::ranges::find_if(ends, &PathState::pending);
    state = pending != ends.end() ? *pending : ends.front();
    state.covered = !state.pending && std::ranges::any_of(ends, &PathState::covered);
    if (covers) state = kCovered;
    return true;
  }

  const ScriptSource& source_;
  Words answers_;
};

}  // namespace

std::optional<std::size_t> path_without_expiry(const ScriptSource& source) {
  return Paths(source).without_expiry();
}

}  // namespace rlctl
