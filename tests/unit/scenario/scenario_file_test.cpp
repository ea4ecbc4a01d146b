// Scenario files on disk.
#include "scenario/read/scenario_file.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "tools/folder.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;
using rlctl::test::Folder;
namespace fs = std::filesystem;

namespace {

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

TEST_CASE("a folder stands for the files that say that they are scenarios, by name") {
  Folder folder;
  folder.write("b/2.scenario.json", small_scenario());
  folder.write("a.json", R"({"$schema": "../scenario.schema.json"})");
  folder.write("scenario.schema.json", "{}");
  folder.write("package.json", R"({"$schema": "https://json.schemastore.org/package"})");
  folder.write("data.json", "[1]");
  folder.write("mine.lua", "");
  const auto found = find_scenarios({folder.path()});
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == folder / "a.json");
  CHECK(found[1].file == folder / "b/2.scenario.json");
  CHECK(found[1].root == folder.path());
  CHECK(find_scenarios({folder / "a.json", folder.path()}).size() == 2);
}

TEST_CASE("a search leaves out what git ignores, hidden folders and node_modules") {
  Folder folder;
  for (const char* path : {"node_modules/x/a", ".cache/a", "tests/out/a", "tests/tmp-1", "kept",
                           "tests/out-kept/a", "tests/tmp-kept"})
    folder.write(std::string(path) + ".scenario.json", small_scenario());
  folder.write(".git/HEAD", "");
  folder.write(".gitignore", "out/\ntmp-*\n");
  folder.write("tests/.gitignore", "!tmp-kept*\n");
  const auto found = find_scenarios({folder / "tests"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == folder / "tests/out-kept/a.scenario.json");
  CHECK(found[1].file == folder / "tests/tmp-kept.scenario.json");
  CHECK(find_scenarios({folder.path()}).size() == 3);
}

TEST_CASE("a scenario finds the files beside it") {
  Folder folder;
  const std::string file = folder.write("holds/a.json", with_script("../lua/mine.lua"));
  folder.write("lua/mine.lua", "return 1");
  const ParsedScenario loaded = load_scenario({file, folder.path()});
  CHECK(loaded.mistakes == "");
  CHECK(loaded.scenario->policies[0].script == folder / "lua/mine.lua");
  CHECK(loaded.scenario->name == "a");
}

TEST_CASE("a scenario reads nothing outside its root") {
  Folder folder;
  folder.write("secret.lua", "return 1");
  fs::create_directories(folder / "in");
  fs::create_symlink(folder / "secret.lua", folder / "in/link.lua");
  const auto mistake = [&](const std::string& script) {
    const std::string file = folder.write("in/a.json", with_script(script));
    return load_scenario({file, folder / "in"}).mistakes;
  };
  CHECK(mistake("../secret.lua").find("lies outside of") != std::string::npos);
  CHECK(mistake("link.lua").find("lies outside of") != std::string::npos);
  CHECK(mistake(folder / "secret.lua").find("is an absolute path") != std::string::npos);
  CHECK(mistake("none.lua").find("there is no file 'none.lua'") != std::string::npos);
  CHECK(mistake(".").find("is not a regular file") != std::string::npos);
  CHECK(mistake("a\\u0000b").find("names no file") != std::string::npos);
}

TEST_CASE("a folder whose name begins like the root's is outside the root") {
  Folder folder;
  folder.write("in-side/x.lua", "");
  const std::string file = folder.write("in/a.json", with_script("../in-side/x.lua"));
  CHECK(load_scenario({file, folder / "in"}).mistakes.find("lies outside of") != std::string::npos);
}

TEST_CASE("a path that is not a file is reported, without waiting on it") {
  Folder folder;
  CHECK(usage_error({folder / "none.json"}).find("there is no file or folder") == 0);
  CHECK(usage_error({folder.path()}).find("no scenario below") == 0);
  const std::string fifo = folder / "pipe.json";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(usage_error({fifo}).find("it is not a regular file") != std::string::npos);
  const std::string script = folder.write("a.json", with_script("pipe.json"));
  CHECK(load_scenario({script, folder.path()}).mistakes.find("is not a regular file") !=
        std::string::npos);
}
