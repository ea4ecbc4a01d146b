#include "scenario/read/scenario_file.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/escape.h"
#include "io/environment.h"
#include "scenario/read/ignore_rules.h"

namespace rlctl {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestFileBytes = std::uintmax_t{64} << 20;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto mismatch = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return mismatch.first == folder.end();
}

std::string read_file(const fs::path& path, std::uintmax_t most) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status)) throw Error(Exit::usage, "there is no such file");
  if (!fs::is_regular_file(status)) throw Error(Exit::usage, "it is not a regular file");
  if (fs::file_size(path, error) > most) throw Error(Exit::usage, "it is too large");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text)
    throw Error(Exit::usage, "it is empty, or can't be read", "name a file that holds JSON");
  return std::move(text).str();
}

class FilesBeside final : public ScenarioFiles {
 public:
  explicit FilesBeside(const ScenarioPath& path)
      : folder_(fs::weakly_canonical(path.file).parent_path()), root_(path.root) {}

  std::optional<std::string> variable(std::string_view name) override {
    return environment_variable(name);
  }

  std::string resolve(std::string_view name) override {
    if (name.find('\0') != name.npos) throw Error(Exit::usage, "names no file");
    const fs::path relative(name);
    if (relative.is_absolute())
      throw Error(Exit::usage, in_quotes(name) + " is an absolute path",
                  "write it relative to the scenario's folder");
    std::error_code error;
    const fs::path resolved = fs::canonical(folder_ / relative, error);
    if (error) throw Error(Exit::usage, "there is no file " + in_quotes(name));
    if (!is_below(resolved, root_))
      throw Error(Exit::usage, in_quotes(name) + " lies outside of " + in_quotes(root_.string()),
                  "a scenario may read only files below the folder given to run");
    if (!fs::is_regular_file(resolved, error))
      throw Error(Exit::usage, in_quotes(name) + " is not a regular file");
    return resolved.string();
  }

  std::string read(const std::string& resolved) override {
    return read_file(resolved, kLongestFileBytes);
  }

 private:
  fs::path folder_;
  fs::path root_;
};

fs::path root_of(const fs::path& file) {
  const fs::path resolved = fs::weakly_canonical(file);
  const fs::path here = fs::weakly_canonical(fs::current_path());
  return is_below(resolved, here) ? here : resolved.parent_path();
}

// Whether a file says that it is a scenario, by its name or by the "$schema" in its beginning.
bool is_scenario(const fs::path& file) {
  constexpr std::size_t kBeginning = 65'536;
  const std::string name = file.filename().string();
  if (name.ends_with(".schema.json") || !name.ends_with(".json")) return false;
  if (name.ends_with(".scenario.json")) return true;
  std::string text(kBeginning, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t key = text.find("\"$schema\"");
  const std::size_t begin = key == text.npos ? key : text.find('"', text.find(':', key));
  if (begin == text.npos) return false;
  return text.substr(begin + 1, text.find('"', begin + 1) - begin - 1)
      .ends_with("scenario.schema.json");
}

// Walks through a folder, but not through what git ignores, hidden folders or node_modules.
class ScenarioSearch {
 public:
  explicit ScenarioSearch(const std::string& folder) : root_(fs::canonical(folder)) {
    read_rules_above();
    search(root_, folder);
    std::ranges::sort(found, {}, &ScenarioPath::file);
  }

  std::vector<ScenarioPath> found;
  std::size_t others = 0;  // *.json files that do not say that they are scenarios

 private:
  struct Rules {
    fs::path folder;
    IgnoreRules rules;
  };

  // Those of the repository that the folder is in.
  void read_rules_above() {
    fs::path top = root_;
    while (!fs::exists(top / ".git") && top.has_relative_path()) top = top.parent_path();
    if (!fs::exists(top / ".git")) return;
    for (fs::path above = root_; above != top;) {
      above = above.parent_path();
      read_rules(above);
    }
  }

  void read_rules(const fs::path& folder) {
    constexpr std::uintmax_t kLongestRules = 1U << 20U;
    if (fs::is_regular_file(folder / ".gitignore"))
      rules_.push_back({folder, IgnoreRules(read_file(folder / ".gitignore", kLongestRules))});
  }

  bool is_left_out(const fs::path& path, bool is_folder) const {
    const std::string name = path.filename().string();
    if (name.starts_with('.') || (is_folder && name == "node_modules")) return true;
    // The rules of the nearest folder decide first.
    const Rules* nearest = nullptr;
    bool ignored = false;
    for (const Rules& rules : rules_) {
      if (!is_below(path, rules.folder)) continue;
      const std::string below = path.lexically_relative(rules.folder).string();
      const auto said = rules.rules.ignores(below, is_folder);
      const bool nearer = nearest == nullptr || is_below(rules.folder, nearest->folder);
      if (!said || !nearer) continue;
      nearest = &rules;
      ignored = *said;
    }
    return ignored;
  }

  // `shown`: the folder as the user would name it.
  void search(const fs::path& folder, const fs::path& shown) {
    read_rules(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path path = folder / entry.path().filename();
      const bool is_folder = entry.is_directory() && !entry.is_symlink();
      if (is_left_out(path, is_folder)) continue;
      if (is_folder) search(path, shown / path.filename());
      if (!entry.is_regular_file()) continue;
      if (is_scenario(path))
        found.push_back({(shown / path.filename()).string(), root_});
      else
        others += path.extension() == ".json";
    }
  }

  fs::path root_;
  std::vector<Rules> rules_;
};

std::vector<ScenarioPath> files_below(const std::string& folder) try {
  ScenarioSearch search(folder);
  if (!search.found.empty()) return std::move(search.found);
  throw Error(
      Exit::usage,
      "no scenario below " + in_quotes(folder) +
          (search.others == 0 ? "" : "; " + std::to_string(search.others) + " other *.json there"),
      "a scenario is named NAME.scenario.json, or has \"$schema\": "
      "\"scenario.schema.json\"");
} catch (const fs::filesystem_error& error) {
  throw Error(Exit::usage, "can't search " + in_quotes(folder), error.code().message());
}

}  // namespace

std::vector<ScenarioPath> find_scenarios(const std::vector<std::string>& names) {
  std::vector<ScenarioPath> all;
  std::set<fs::path> seen;
  for (const std::string& name : names) {
    std::error_code error;
    const fs::file_status status = fs::status(name, error);
    if (error || !fs::exists(status))
      throw Error(Exit::usage, "there is no file or folder " + in_quotes(name));
    const bool folder = fs::is_directory(status);
    for (ScenarioPath& path :
         folder ? files_below(name) : std::vector<ScenarioPath>{{name, root_of(name)}})
      if (seen.insert(fs::weakly_canonical(path.file)).second) all.push_back(std::move(path));
  }
  return all;
}

ParsedScenario load_scenario(const ScenarioPath& path) {
  FilesBeside files(path);
  std::string text;
  try {
    text = read_file(path.file, kLongestFileBytes);
  } catch (const Error& error) {
    throw Error(error.exit(), in_quotes(path.file) + ": " + error.what(), error.hint());
  }
  return parse_scenario(path.file, std::move(text), files);
}

}  // namespace rlctl
