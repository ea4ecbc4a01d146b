#include "base/wrap.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

// Names are shorter.
constexpr std::size_t kSecondColumn = 24;

// Where a line's text begins, in bytes: after its blanks, or after a name and two or more blanks.
std::size_t text_begin(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  if (gap == line.npos) return first;
  const std::size_t second = std::min(line.find_first_not_of(' ', gap), line.size());
  return display_width(line.substr(0, second)) <= kSecondColumn ? second : first;
}

bool ends_a_part(std::string_view word) {
  return word.ends_with(',') || word.ends_with(';') || word.ends_with(':') || word.ends_with('.') ||
         word.ends_with(')');
}

// The end of the word at `at`. A command is one word, so that it can be pasted: up to a comma or
// the like, or to the end of the line. Not if it is too wide for a line, unless it has options or
// names and ends the line: then it may be a sentence about rlctl.
std::size_t word_end(std::string_view line, std::size_t at, std::size_t room) {
  const auto next = [&](std::size_t from) { return std::min(line.find(' ', from), line.size()); };
  const std::size_t first = next(at);
  if (!line.substr(at).starts_with("rlctl ")) return first;
  std::size_t end = first;
  while (end < line.size() && !ends_a_part(line.substr(at, end - at))) end = next(end + 1);
  const std::string_view command = line.substr(at, end - at);
  if (display_width(command) <= room) return end;
  return end == line.size() && command.find_first_of("-'/") != command.npos ? end : first;
}

// One line of the text, without its newline.
void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& lines) {
  const std::size_t begin = text_begin(line);
  std::string current(line.substr(0, begin));
  const std::size_t indent = display_width(current);
  std::size_t used = indent;
  for (std::size_t at = begin; at < line.size();) {
    const std::size_t end = word_end(line, at, width - std::min(width, indent));
    const std::size_t columns = display_width(line.substr(at, end - at));
    // "to replay it: rlctl ...": who pastes a whole line finds the command in it.
    const bool is_named = end == line.size() && current.ends_with(':') &&
                          line.substr(at).starts_with("rlctl ") && line.starts_with(current);
    if (at > begin && used + 1 + columns > width && !is_named) {
      lines.push_back(std::move(current));
      current.assign(indent, ' ');
      used = indent;
    } else if (at > begin) {
      current += ' ';
      ++used;
    }
    current += line.substr(at, end - at);
    used += columns;
    at = end + 1;
  }
  lines.push_back(std::move(current));
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) wrap_line(take_until(text, '\n'), width, lines);
  return lines;
}

std::string wrapped_text(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : wrapped(text, width - std::min(width, indent)))
    out += (out.empty() ? "" : std::string(indent, ' ')) + line + "\n";
  return out;
}

}  // namespace rlctl
