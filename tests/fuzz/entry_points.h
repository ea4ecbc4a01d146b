// Every parser of foreign bytes, as a function of bytes: for libFuzzer (fuzz_target.cpp) and for
// mutated inputs in the ordinary run (mutation_test.cpp). An entry catches the Error that reports a
// fault of the input; any other exception is a bug. If two results that must be equal differ, the
// entry throws std::logic_error.
#pragma once

#include <span>
#include <string_view>

struct EntryPoint {
  const char* name;  // its seeds are in tests/fuzz/seeds/<name>
  void (*read)(std::string_view bytes);
};

std::span<const EntryPoint> entry_points();
