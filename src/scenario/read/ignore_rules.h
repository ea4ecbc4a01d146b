// The rules of a .gitignore file (gitignore(5)). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

class IgnoreRules {
 public:
  explicit IgnoreRules(std::string_view text);

  // What the rules say of a file or folder, by its path below their own folder: true if it is
  // ignored, empty if they say nothing.
  std::optional<bool> ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string pattern;
    bool ignored = true;      // false: `!pattern`
    bool folders = false;     // folders only
    bool whole_path = false;  // false: the last name of a path, at any depth
  };
  void add(std::string_view line);

  std::vector<Rule> rules_;
};

}  // namespace rlctl
