#include "cli/output/verdict_colour.h"

#include <fmt/format.h>

#include <algorithm>

namespace rlctl {
namespace {

struct Tone {
  std::string_view word;
  std::string_view colour;
};
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr Tone kTones[] = {
    {"holds", kGreen},         {"passed", kGreen},         {"OK", kGreen},
    {"violated", kRed},        {"failed", kRed},           {"FAILED", kRed},
    {"FAILS", kRed},           {"DIFFERENT", kRed},        {"inconclusive", kYellow},
    {"INCONCLUSIVE", kYellow}, {"COULD NOT RUN", kYellow}, {"can't tell", kYellow},
};

// A verdict begins a line or a cell, or follows a colon; names of keys and phases are in quotes or
// end otherwise.
bool stands_alone(std::string_view line, std::size_t from, std::size_t to) {
  const std::string_view before = line.substr(0, from);
  const std::string_view after = line.substr(to);
  const bool begins = before.empty() || before.ends_with("  ") || before.ends_with(": ");
  const bool ends = after.empty() || after.starts_with(':') || after.starts_with("  ");
  return begins && ends;
}

// The line below the headings of a table. They name columns: "failed" above a 0 is no verdict.
bool is_rule(std::string_view line) {
  return line.find('-') != line.npos && line.find_first_not_of(" -") == line.npos;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

struct Painter {
  bool begun = false;
  bool has_passed = false;  // what was expected is not red: "policy, 10 per 1s: violated"

  std::string paint(const Tone& tone) {
    has_passed = has_passed || (!begun && tone.word == "passed");
    begun = true;
    if (has_passed && tone.colour == kRed) return std::string(tone.word);
    return fmt::format("{}{}\x1b[0m", tone.colour, tone.word);
  }
};

std::string coloured_line(std::string_view line, Painter& painter) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const auto tone = std::ranges::find_if(kTones, [&](const Tone& one) {
      return line.substr(at).starts_with(one.word) && stands_alone(line, at, at + one.word.size());
    });
    if (tone == std::end(kTones)) {
      out += line[at++];
      continue;
    }
    out += painter.paint(*tone);
    at += tone->word.size();
  }
  return out;
}

}  // namespace

std::string with_coloured_verdicts(std::string_view text) {
  std::string out;
  Painter painter;
  while (!text.empty()) {
    const std::string_view line = first_line(text);
    const bool ends = line.size() < text.size();
    text.remove_prefix(line.size() + (ends ? 1 : 0));
    out += is_rule(first_line(text)) ? std::string(line) : coloured_line(line, painter);
    if (ends) out += '\n';
  }
  return out;
}

}  // namespace rlctl
