#include "cli/support/readme.h"

#include <regex>
#include <sstream>
#include <stdexcept>

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Lines that depend on the machine: remarks, and the cheapest contestant.
bool is_remark(const std::string& line) {
  return line.starts_with("note: ") || line.find("  note: ") != std::string::npos ||
         line.find("server CPU of ") != std::string::npos;
}

// The lines to compare, by shape, without blank lines.
std::vector<std::string> shapes_of(const std::vector<std::string>& lines) {
  std::vector<std::string> shapes;
  for (const std::string& line : lines)
    if (const std::string shape = shape_of(line); !shape.empty() && !is_remark(line))
      shapes.push_back(shape);
  return shapes;
}

class Reader {
 public:
  std::vector<ReadmeSection> read(const std::string& markdown) {
    for (const std::string& line : lines_of(markdown)) {
      ++number_;
      if (line.starts_with("#")) {
        sections_.push_back({line.substr(line.find(' ') + 1), {}});
        inside_ = false;
      } else if (line.starts_with("    ")) {
        read_block_line(line.substr(4));
      } else if (line.empty()) {
        ++blanks_;
      } else {
        inside_ = false;
      }
      if (!line.empty()) blanks_ = 0;
    }
    std::erase_if(sections_, [](const ReadmeSection& section) { return section.commands.empty(); });
    return sections_;
  }

 private:
  void read_block_line(const std::string& line) {
    if (sections_.empty()) throw std::runtime_error("README: a block before any heading");
    auto& commands = sections_.back().commands;
    if (line.starts_with("$ ")) {
      commands.push_back({line.substr(2), {}, number_, number_ + 1});
    } else if (!inside_) {
      throw std::runtime_error("README:" + std::to_string(number_) + ": no command: " + line);
    } else if (commands.back().text.ends_with("\\") && commands.back().output.empty()) {
      commands.back().text += "\n" + line;
      ++commands.back().output_line;
    } else {
      commands.back().output.insert(commands.back().output.end(), blanks_, "");
      commands.back().output.push_back(line);
    }
    inside_ = true;
  }

  std::vector<ReadmeSection> sections_;
  std::size_t number_ = 0;
  std::size_t blanks_ = 0;
  bool inside_ = false;  // a block continues over blank lines
};

// `expected` from i on against `actual` from j on; where they part, in `parted`.
bool same(const std::vector<std::string>& expected, std::size_t i,
          const std::vector<std::string>& actual, std::size_t j, std::size_t& parted) {
  for (; i < expected.size(); ++i, ++j) {
    if (expected[i] == "...") {
      for (std::size_t from = j; from <= actual.size(); ++from)
        if (same(expected, i + 1, actual, from, parted)) return true;
      return false;
    }
    parted = std::max(parted, i);
    if (j >= actual.size() || expected[i] != actual[j]) return false;
  }
  parted = std::max(parted, i);
  return j == actual.size();
}

}  // namespace

std::vector<ReadmeSection> readme_sections(const std::string& markdown) {
  return Reader().read(markdown);
}

std::string shape_of(const std::string& line) {
  static const std::pair<std::regex, const char*> rules[] = {
      {std::regex(R"(\b[0-9a-f]{6,}\b)"), "HEX"},
      {std::regex(R"([0-9][0-9,.]*)"), "N"},
      {std::regex(R"((N ?(us|µs|ms|s|m|h|d)\b ?)+)"), "TIME "},
      {std::regex(R"(within TIME (around|under) [^;]*)"),
       "within TIME"},  // which attack is the worst
      {std::regex(R"( as (quicklist|listpack|skiplist|ziplist))"), " as ENCODING"},
      {std::regex(R"(until this reading)"), ""},  // Redis 7.2 and later do not change idle times
      {std::regex(R"([#.]{2,})"), "#"},
      {std::regex(R"([-=]{2,})"), "-"},
      {std::regex(R"(± +)"), "±"},
      {std::regex(R"(\s+)"), " "},
      {std::regex(R"((# )+#?|#+)"), "# "},
      {std::regex(R"(^ | $)"), ""},
  };
  if (line == "...") return line;
  std::string shape = line;
  for (const auto& [pattern, with] : rules) shape = std::regex_replace(shape, pattern, with);
  return shape;
}

std::string difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual) {
  const std::vector<std::string> wanted = shapes_of(expected);
  const std::vector<std::string> got = shapes_of(actual);
  std::size_t parted = 0;
  if (same(wanted, 0, got, 0, parted)) return {};
  std::string text = "README: " + (parted < wanted.size() ? wanted[parted] : "nothing more");
  text += "\nrlctl prints:";
  for (const std::string& line : actual) text += "\n    " + line;
  return text;
}
