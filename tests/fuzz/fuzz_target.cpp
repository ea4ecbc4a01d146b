// One entry point (RLCTL_FUZZ_ENTRY, its name) as a libFuzzer target. With CMake's RLCTL_FUZZ, by
// clang: fuzz_<name> [CORPUS] tests/fuzz/seeds/<name> -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const EntryPoint& entry : entry_points()) {
    if (std::string_view(entry.name) != RLCTL_FUZZ_ENTRY) continue;
    entry.read({reinterpret_cast<const char*>(data), size});
    return 0;
  }
  std::abort();
}
