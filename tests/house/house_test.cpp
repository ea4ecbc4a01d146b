// Checks the source tree against the house rules. rules_test.cpp shows that each rule can fail.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "house/rules.h"

using namespace rlctl::house;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every file under src/, tests/ and lua/, with its path from the top.
std::map<std::string, std::string> read_tree() {
  const std::filesystem::path top = RLCTL_SOURCE_DIR;
  std::map<std::string, std::string> files;
  for (const char* directory : {"src", "tests", "lua"}) {
    if (!std::filesystem::exists(top / directory)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / directory)) {
      const std::string path = entry.path().lexically_relative(top).generic_string();
      if (entry.is_regular_file()) files[path] = contents(entry.path());
    }
  }
  return files;
}

const std::map<std::string, std::string>& tree() {
  static const std::map<std::string, std::string> files = read_tree();
  return files;
}

std::map<std::string, std::string> sources_of_src() {
  std::map<std::string, std::string> sources;
  for (const auto& [path, text] : tree())
    if (path.starts_with("src/")) sources[path] = text;
  return sources;
}

template <class Rule>
std::string broken(Rule rule) {
  std::string all;
  for (const auto& [path, text] : tree()) {
    for (const std::string& finding : rule(path, text)) all += "\n" + finding;
  }
  return all;
}

std::string join_lines(const Findings& findings) {
  std::string all;
  for (const std::string& finding : findings) all += "\n" + finding;
  return all;
}

}  // namespace

TEST_CASE("the house test finds the source tree") {
  CHECK(tree().contains("src/log/record.h"));
  CHECK(tree().contains("tests/house/house_test.cpp"));
  CHECK(tree().at("src/CMakeLists.txt").find("base/units.cpp") != std::string::npos);
}

TEST_CASE("includes go downhill") { CHECK(broken(check_includes) == ""); }

TEST_CASE("no folder is a heap") {
  std::vector<std::string> paths;
  for (const auto& [path, text] : tree()) paths.push_back(path);
  CHECK(join_lines(check_room_sizes(paths)) == "");
}

TEST_CASE("every room has a header that explains it") {
  CHECK(join_lines(check_room_headers(tree())) == "");
}

TEST_CASE("no folders include each other") {
  CHECK(join_lines(check_no_circles(sources_of_src())) == "");
}

TEST_CASE("README names every room, and only files that exist") {
  std::set<std::string> paths;
  for (const auto& [path, text] : tree()) paths.insert(path);
  const std::string readme = contents(std::filesystem::path(RLCTL_SOURCE_DIR) / "README.md");
  CHECK(join_lines(check_readme(readme, paths)) == "");
}

TEST_CASE("pure rooms are pure") { CHECK(broken(check_purity) == ""); }

TEST_CASE("no function is longer than 70 lines") { CHECK(broken(check_function_lengths) == ""); }

TEST_CASE("no file is longer than 600 lines") { CHECK(broken(check_file_length) == ""); }

TEST_CASE("no line of src is wider than 100 columns") { CHECK(broken(check_line_lengths) == ""); }

TEST_CASE("every header has an opening comment") { CHECK(broken(check_header_comment) == ""); }

TEST_CASE("ctest can run every test by its name") { CHECK(broken(check_test_names) == ""); }

TEST_CASE("no test passes because its loop is empty") { CHECK(broken(check_test_loops) == ""); }

TEST_CASE("no two types in src have the same name") {
  CHECK(join_lines(check_unique_types(sources_of_src())) == "");
}

TEST_CASE("every source file is built and every test runs") {
  Lists lists;
  for (const auto& [path, text] : tree()) {
    const std::size_t name = path.rfind("/CMakeLists.txt");
    if (name != std::string::npos) lists[path.substr(0, name)] = text;
  }
  CHECK(lists.contains("src"));
  CHECK(broken([&](const std::string& path, const std::string&) {
          return check_listed(path, lists);
        }) == "");
}

// As tests/mutants.sh reads it: a file of src/verdict, and below it texts that it must contain
// once.
TEST_CASE("the table of mutants fits the sources of the judge") {
  std::istringstream lines(tree().at("tests/mutants.sh"));
  std::string line;
  while (std::getline(lines, line) && line != "mutants='") {
  }
  std::string file;
  int mutants = 0;
  while (std::getline(lines, line) && line != "'") {
    if (!line.empty() && line.front() != ' ') file = "src/verdict/" + line;
    if (!line.starts_with("  - ")) continue;
    ++mutants;
    CAPTURE(file);
    CAPTURE(line);
    REQUIRE(tree().contains(file));
    const std::string& text = tree().at(file);
    const std::size_t at = text.find(line.substr(4));
    CHECK(at != std::string::npos);
    CHECK(at == text.rfind(line.substr(4)));
  }
  CHECK(mutants > 50);
}
