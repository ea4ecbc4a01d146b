// Finds the test cases of a doctest source, and whether they can pass without having checked
// anything. Pure; a scan of brackets, as in source_scan.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl::house {

struct TestCase {
  std::string name;  // as written between the quotes, joined; escapes stay
  std::size_t line = 0;
  // Every check stands in a loop that may be empty. A loop over a braced list, a number, a constant
  // (kSizes) or a table that the file fills (`sizes = {`, `sizes{`) is taken as not empty.
  bool may_check_nothing = false;
};

std::vector<TestCase> test_cases_of(std::string_view source);

}  // namespace rlctl::house
