// Finds functions and their lengths in C++ and Lua sources, well enough for clang-formatted code: a
// scan of braces (of block words in Lua) that knows comments, strings and declarations, no parser.
// Pure. What it cannot follow comes out as not balanced, so that nothing hides from the house test.
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

// The source with comments, preprocessor lines and the insides of literals blanked; lines stay.
std::string blank_cpp(std::string_view source);
std::string blank_lua(std::string_view source);

// Functions at namespace and class scope; lambdas and local classes count to the one they are in.
Scan scan_cpp(std::string_view source);

// Every function, nested ones too.
Scan scan_lua(std::string_view source);

}  // namespace rlctl::house
