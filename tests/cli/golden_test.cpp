// What rlctl prints for a command line, word for word. golden/NAME.cmd holds the arguments, one per
// line; NAME.out and NAME.err hold both streams, and the last line of NAME.err is the exit code.
// RLCTL_UPDATE_GOLDEN=1 writes the files instead. None of these commands uses a Redis.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/process.h"

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Arguments lines_of(const fs::path& file) {
  Arguments lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> commands() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(RLCTL_GOLDEN_DIR))
    if (entry.path().extension() == ".cmd") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

void compare(fs::path file, const char* extension, const std::string& text, bool update) {
  file.replace_extension(extension);
  if (update)
    std::ofstream(file, std::ios::binary) << text;
  else
    CHECK(text == read_file(file));
}

}  // namespace

TEST_CASE("rlctl prints exactly what the golden files hold") {
  const bool update = std::getenv("RLCTL_UPDATE_GOLDEN") != nullptr;
  const std::vector<fs::path> files = commands();
  CHECK(files.size() >= 10);
  for (const fs::path& file : files) {
    CAPTURE(file.filename().string());
    const Outcome outcome = run_rlctl(lines_of(file));
    compare(file, ".out", outcome.out, update);
    compare(file, ".err", outcome.err + "exit " + std::to_string(outcome.exit) + "\n", update);
  }
}

TEST_CASE("algos lists every shipped script, and prints one of them") {
  const Outcome list = run_rlctl({"algos"});
  CHECK(list.exit == 0);
  CHECK(contains(list.out, "sliding-list"));
  const Outcome one = run_rlctl({"algos", "sliding-list"});
  CHECK(one.out.starts_with("-- "));
  CHECK(contains(one.out, "-- rlctl: contract = sliding"));
}

TEST_CASE("algos lists the specimens with their flaws only on request, never among the sound") {
  const Outcome sound = run_rlctl({"algos"});
  const Outcome specimens = run_rlctl({"algos", "--specimens"});
  CHECK(specimens.exit == 0);
  CHECK(contains(specimens.out, "get-then-incr\n  Seller quota, naive"));
  CHECK(contains(specimens.out, "flaw: never refills"));
  CHECK_FALSE(contains(specimens.out, "sliding-list"));
  CHECK_FALSE(contains(sound.out, "get-then-incr"));
  CHECK(run_rlctl({"algos", "get-then-incr"}).out.starts_with("-- Seller quota"));
}
