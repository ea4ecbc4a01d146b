// Golden files: what a program printed once, to be printed again. With RLCTL_UPDATE_GOLDEN=1 they
// are written instead of compared. Throws std::runtime_error if a file can't be read.
#pragma once

#include <string>
#include <vector>

namespace rlctl::test {

std::vector<std::string> lines_of(const std::string& text);

// The text of a golden file, which must not be empty.
std::string read_golden(const std::string& file);

// "" if `now` is the text of the file, else the first line that differs, in both versions. Writes
// `now` into the file if that is wanted.
std::string compare_with_golden(const std::string& file, const std::string& now);

// The first line in which two texts differ, with both versions; "" if there is none.
std::string first_difference(const std::string& golden, const std::string& now);

}  // namespace rlctl::test
