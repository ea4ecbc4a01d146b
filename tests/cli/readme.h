// The README's sessions: blocks of commands behind "$ " and what they print. Pure; what can't be
// read as one is a std::runtime_error with its line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct ReadmeCommand {
  std::string text;                 // without "$ "; may be of several lines
  std::vector<std::string> output;  // as printed below it
  std::size_t line = 0;             // of the "$ "
  std::size_t output_line = 0;      // the first one behind the command; lines are counted from 1
};

struct ReadmeSection {
  std::string heading;
  std::vector<ReadmeCommand> commands;
};

// Every indented block is a session; sections without one are left out.
std::vector<ReadmeSection> readme_sections(const std::string& markdown);

// A line without what differs from run to run: numbers, durations, digests, the width of columns
// and bars.
std::string shape_of(const std::string& line);

// The same lines by shape. "..." alone on a line stands for any others. Remarks ("note: ...") come
// and go with how busy the machine is, and don't count. The first difference, or "".
std::string difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual);
