// Everything that reads bytes of others, as functions of bytes: for libFuzzer (fuzz_target.cpp) and
// for mutated inputs in the ordinary run (mutation_test.cpp). An Error that is the input's fault is
// what an entry expects; whatever else comes out of one is a bug, and what should be equal and is
// not throws std::logic_error.
#pragma once

#include <span>
#include <string_view>

struct EntryPoint {
  const char* name;  // its seeds are in tests/fuzz/seeds/<name>
  void (*read)(std::string_view bytes);
};

std::span<const EntryPoint> entry_points();
