#include "scenario/read/ignore_rules.h"

#include "base/text.h"

namespace rlctl {
namespace {

bool matches(std::string_view pattern, std::string_view path);

// Any number of whole folders.
bool matches_below(std::string_view pattern, std::string_view path) {
  if (matches(pattern, path)) return true;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] == '/' && matches(pattern, path.substr(i + 1))) return true;
  return false;
}

bool matches_star(std::string_view pattern, std::string_view path) {
  for (std::size_t i = 0;; ++i) {
    if (matches(pattern, path.substr(i))) return true;
    if (i == path.size() || path[i] == '/') return false;
  }
}

// [abc], [a-z], [!abc]; a bracket that is not closed is a character.
bool matches_set(std::string_view pattern, std::string_view path) {
  const std::size_t end = pattern.find(']', 2);
  if (end == pattern.npos)
    return path.starts_with('[') && matches(pattern.substr(1), path.substr(1));
  if (path.empty() || path.front() == '/') return false;
  std::string_view set = pattern.substr(1, end - 1);
  const bool other = set.front() == '!' || set.front() == '^';
  if (other) set.remove_prefix(1);
  bool in = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool range = i + 2 < set.size() && set[i + 1] == '-';
    in |= range ? set[i] <= path.front() && path.front() <= set[i + 2] : set[i] == path.front();
    if (range) i += 2;
  }
  return in != other && matches(pattern.substr(end + 1), path.substr(1));
}

bool matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern == "**") return true;
  if (pattern.starts_with("**/")) return matches_below(pattern.substr(3), path);
  if (pattern.front() == '*') return matches_star(pattern.substr(1), path);
  if (pattern.front() == '[') return matches_set(pattern, path);
  if (path.empty()) return false;
  if (pattern.front() == '?')
    return path.front() != '/' && matches(pattern.substr(1), path.substr(1));
  if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  return pattern.front() == path.front() && matches(pattern.substr(1), path.substr(1));
}

}  // namespace

IgnoreRules::IgnoreRules(std::string_view text) {
  while (!text.empty()) add(take_until(text, '\n'));
}

void IgnoreRules::add(std::string_view line) {
  line = trimmed(line, kBlanksAndLineEnds);
  if (line.empty() || line.front() == '#') return;
  Rule rule;
  rule.ignored = line.front() != '!';
  if (!rule.ignored) line.remove_prefix(1);
  rule.folders = line.ends_with('/');
  if (rule.folders) line.remove_suffix(1);
  rule.whole_path = line.find('/') != line.npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  rule.pattern = line;
  rules_.push_back(std::move(rule));
}

// The last rule that matches decides.
std::optional<bool> IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule)
    if ((is_folder || !rule->folders) && matches(rule->pattern, rule->whole_path ? path : name))
      return rule->ignored;
  return std::nullopt;
}

}  // namespace rlctl
