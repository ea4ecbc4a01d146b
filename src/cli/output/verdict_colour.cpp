#include "cli/output/verdict_colour.h"

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

std::string coloured_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const auto tone = std::ranges::find_if(kTones, [&](const Tone& one) {
      return line.substr(at).starts_with(one.word) && stands_alone(line, at, at + one.word.size());
    });
    if (tone == std::end(kTones)) {
      out += line[at++];
      continue;
    }
    out.append(tone->colour).append(tone->word).append("\x1b[0m");
    at += tone->word.size();
  }
  return out;
}

}  // namespace

std::string with_coloured_verdicts(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += coloured_line(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace rlctl
