// Random histories for tests: a source of whole numbers, the same on every machine for one seed,
// and the size of a run from the environment (RLCTL_HISTORIES, RLCTL_SEED).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace rlctl::test {

inline std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

class HistoryRandom {
 public:
  explicit HistoryRandom(std::uint64_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rlctl::test
