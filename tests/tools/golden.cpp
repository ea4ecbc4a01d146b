#include "tools/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace rlctl::test {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read_golden(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (text.empty()) throw std::runtime_error("there is no golden file " + file);
  return text;
}

std::string compare_with_golden(const std::string& file, const std::string& now) {
  if (std::getenv("RLCTL_UPDATE_GOLDEN") == nullptr)
    return first_difference(read_golden(file), now);
  std::ofstream(file, std::ios::binary) << now;
  return {};
}

std::string first_difference(const std::string& golden, const std::string& now) {
  const std::vector<std::string> a = lines_of(golden);
  const std::vector<std::string> b = lines_of(now);
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() && in_b == b.end()) return {};
  const auto text = [](const auto& at, const auto& lines) {
    return at == lines.end() ? std::string("(the end)") : *at;
  };
  return "line " + std::to_string(in_a - a.begin() + 1) + "\n  golden: " + text(in_a, a) +
         "\n  now:    " + text(in_b, b);
}

}  // namespace rlctl::test
