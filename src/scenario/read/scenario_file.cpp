#include "scenario/read/scenario_file.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/escape.h"

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

std::vector<ScenarioPath> files_below(const std::string& folder) try {
  const fs::path root = fs::canonical(folder);
  std::vector<ScenarioPath> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.ends_with(".json") || name.ends_with(".schema.json"))
      continue;
    found.push_back({entry.path().string(), root});
  }
  std::sort(found.begin(), found.end(),
            [](const ScenarioPath& a, const ScenarioPath& b) { return a.file < b.file; });
  if (found.empty()) throw Error(Exit::usage, "no scenario (*.json) below " + in_quotes(folder));
  return found;
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
