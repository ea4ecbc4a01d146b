// Scenario files on disk.
#include "io/scenario_file.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "scenario_fixture.h"

using namespace rlctl;
namespace fs = std::filesystem;

namespace {

// A folder of its own, gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "rlctl-scenario-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  ~Folder() { fs::remove_all(path_); }

  std::string add(const std::string& name, const std::string& text) {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string usage_error(const std::vector<std::string>& names) {
  try {
    for (const ScenarioPath& path : find_scenarios(names)) load_scenario(path);
    return {};
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
}

std::string with_script(const std::string& path) {
  return replaced(small_scenario(), R"("algo": "sliding")", "\"script\": \"" + path + "\"");
}

}  // namespace

TEST_CASE("a folder is all its scenarios, by name, and not its schema") {
  Folder folder;
  folder.add("b/2.json", small_scenario());
  folder.add("a.json", small_scenario());
  folder.add("scenario.schema.json", "{}");
  folder.add("mine.lua", "");
  const auto found = find_scenarios({folder.string()});
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == (folder / "a.json").string());
  CHECK(found[1].file == (folder / "b/2.json").string());
  CHECK(found[1].root == folder.string());
  CHECK(find_scenarios({(folder / "a.json").string(), folder.string()}).size() == 2);
}

TEST_CASE("a scenario finds what stands beside it") {
  Folder folder;
  const std::string file = folder.add("holds/a.json", with_script("../lua/mine.lua"));
  folder.add("lua/mine.lua", "return 1");
  const ParsedScenario loaded = load_scenario({file, folder.string()});
  CHECK(loaded.mistakes == "");
  CHECK(loaded.scenario->policies[0].script == (folder / "lua/mine.lua").string());
  CHECK(loaded.scenario->name == "a");
}

TEST_CASE("a scenario reads nothing outside of its root") {
  Folder folder;
  folder.add("secret.lua", "return 1");
  fs::create_directories(folder / "in");
  fs::create_symlink(folder / "secret.lua", folder / "in/link.lua");
  const auto mistake = [&](const std::string& script) {
    const std::string file = folder.add("in/a.json", with_script(script));
    return load_scenario({file, folder / "in"}).mistakes;
  };
  CHECK(mistake("../secret.lua").find("lies outside of") != std::string::npos);
  CHECK(mistake("link.lua").find("lies outside of") != std::string::npos);
  CHECK(mistake((folder / "secret.lua").string()).find("is an absolute path") != std::string::npos);
  CHECK(mistake("none.lua").find("there is no file 'none.lua'") != std::string::npos);
  CHECK(mistake(".").find("is no regular file") != std::string::npos);
  CHECK(mistake("a\\u0000b").find("names no file") != std::string::npos);
}

TEST_CASE("a folder whose name begins like the root's is outside of it") {
  Folder folder;
  folder.add("in-side/x.lua", "");
  const std::string file = folder.add("in/a.json", with_script("../in-side/x.lua"));
  CHECK(load_scenario({file, folder / "in"}).mistakes.find("lies outside of") != std::string::npos);
}

TEST_CASE("what is no file is told, and never waited for") {
  Folder folder;
  CHECK(usage_error({(folder / "none.json").string()}).find("there is no file or folder") == 0);
  CHECK(usage_error({folder.string()}).find("no scenario (*.json) below") == 0);
  const std::string fifo = (folder / "pipe.json").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(usage_error({fifo}).find("it is no regular file") != std::string::npos);
  const std::string script = folder.add("a.json", with_script("pipe.json"));
  CHECK(load_scenario({script, folder.string()}).mistakes.find("is no regular file") !=
        std::string::npos);
}
