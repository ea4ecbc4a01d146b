// Finds functions and their lengths in C++ and Lua sources, well enough for clang-formatted code.
// It is not a parser: it scans braces (in Lua: block words), and knows comments, strings and
// declarations. Pure. Code that it can't follow is reported as unbalanced, so that nothing is
// hidden from the house test.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl::house {

struct Function {
  std::string head;  // the signature, cut short
  std::size_t first_line = 0;
  std::size_t lines = 0;  // from the signature to the closing brace, both counted
};

struct Scan {
  std::vector<Function> functions;
  bool balanced = true;
};

// The source with comments, preprocessor lines and the contents of literals blanked; line breaks
// stay.
std::string blank_cpp(std::string_view source);
std::string blank_lua(std::string_view source);

// Functions at namespace and class scope; lambdas and local classes count as part of their
// function.
Scan scan_cpp(std::string_view source);

// Every function, nested ones included.
Scan scan_lua(std::string_view source);

}  // namespace rlctl::house
