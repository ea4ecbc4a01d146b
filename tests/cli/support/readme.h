// The README's sessions: blocks with commands after "$ " and the output that they print. Pure.
// Throws std::runtime_error with the line number if a block can't be read as a session.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct ReadmeCommand {
  std::string text;                 // without "$ "; may have several lines
  std::vector<std::string> output;  // as printed below it
  std::size_t line = 0;             // of the "$ "
  std::size_t output_line = 0;      // the first one after the command; lines are counted from 1
};

struct ReadmeSection {
  std::string heading;
  std::vector<ReadmeCommand> commands;
};

// Every indented block is a session; sections without one are left out.
std::vector<ReadmeSection> readme_sections(const std::string& markdown);

// A line without the parts that differ from run to run: numbers, durations, digests, the width of
// columns and bars.
std::string shape_of(const std::string& line);

// Compares the lines by shape. "..." alone on a line stands for any lines. Remarks ("note: ...")
// depend on how busy the machine is and are ignored. Returns the first difference, or "".
std::string difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual);
