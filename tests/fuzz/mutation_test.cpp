// Feeds randomly mutated seeds to every entry point, as a fuzzer does. RLCTL_MUTATIONS sets the
// number for each (2,000), RLCTL_SEED the seed (1); a failure names its seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "entry_points.h"
#include "tools/random_history.h"

namespace {

using rlctl::test::from_environment;

std::vector<std::string> seeds_of(const std::string& entry) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(
           std::string(RLCTL_SOURCE_DIR "/tests/fuzz/seeds/") + entry))
    paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());  // the same seeds give the same inputs everywhere
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutated(const std::vector<std::string>& seeds) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(6); changes > 0; --changes)
      change(text, seeds[below(seeds.size())]);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void change(std::string& text, const std::string& other) {
    static constexpr const char* kTelling[] = {"0",
                                               "-1",
                                               "1.5",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "4294967296",
                                               "1e308",
                                               "\n",
                                               "\r\n",
                                               "\"",
                                               "\\",
                                               "{",
                                               "}",
                                               "[",
                                               "]",
                                               ",",
                                               ":",
                                               "null",
                                               "\xff",
                                               "\xe2\x80\xae",
                                               "$",
                                               "%",
                                               "<",
                                               ">",
                                               "--",
                                               "*1\r\n",
                                               "$-1\r\n",
                                               "\x1b[2J"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.insert(at, kTelling[below(std::size(kTelling))]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.replace(at, length, kTelling[below(std::size(kTelling))]);
        break;
      default: {
        const std::size_t from = below(other.size() + 1);
        text.insert(at, other.substr(from, below(60)));
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("any foreign bytes are read or refused") {
  const std::int64_t mutations = from_environment("RLCTL_MUTATIONS", 2'000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  REQUIRE(entry_points().size() > 5);
  for (const EntryPoint& entry : entry_points()) {
    const std::vector<std::string> seeds = seeds_of(entry.name);
    REQUIRE(!seeds.empty());
    for (const std::string& seed : seeds) CHECK_NOTHROW(entry.read(seed));
    for (std::uint64_t i = first; i < first + static_cast<std::uint64_t>(mutations); ++i) {
      const std::string input = Mutator(i).mutated(seeds);
      CAPTURE(entry.name);
      INFO("RLCTL_SEED=" << i << " RLCTL_MUTATIONS=1");
      CHECK_NOTHROW(entry.read(input));
    }
  }
}
