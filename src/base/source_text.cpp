#include "base/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

// Bytes of a line shown before and after the place.
constexpr std::size_t kShownBefore = 60;
constexpr std::size_t kShownBehind = 60;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// A password in a URL, or a header with a secret: the line must not appear in CI logs.
bool holds_secret(std::string_view line) {
  const std::string lower = lower_case(line);
  for (const char* name : {"authorization", "cookie", "api-key", "apikey", "token\"", "password"})
    if (lower.find(name) != std::string::npos) return true;
  return without_secrets(line) != line;
}

// For the terminal, on one line. A TAB becomes one blank, so that the underline stays aligned.
std::string shown(std::string_view bytes) {
  std::string text(bytes);
  std::replace(text.begin(), text.end(), '\t', ' ');
  // Backslashes are common in JSON and harmless, so they are not escaped.
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\\', begin), text.size());
    out += escape_for_terminal(std::string_view(text).substr(begin, end - begin));
    if (end < text.size()) out += '\\';
    begin = end + 1;
  }
  return out;
}

}  // namespace

SourceText::SourceText(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view SourceText::slice(SourceSpan span) const {
  return text().substr(span.begin, span.end - span.begin);
}

std::size_t SourceText::line_index_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin()) - 1;
}

std::string_view SourceText::line_text(std::size_t index) const {
  const std::size_t begin = line_starts_[index];
  std::string_view line = text().substr(begin, text_.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

SourcePlace SourceText::place_of(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t index = line_index_of(offset);
  const std::string_view before = text().substr(line_starts_[index], offset - line_starts_[index]);
  const auto characters =
      std::count_if(before.begin(), before.end(), [](char byte) { return !is_continuation(byte); });
  return {static_cast<std::uint32_t>(index + 1), static_cast<std::uint32_t>(characters + 1)};
}

std::string SourceText::underlined(SourceSpan span) const {
  const std::size_t index = line_index_of(std::min(span.begin, text_.size()));
  const std::string_view line = line_text(index);
  if (holds_secret(line)) return {};
  const std::size_t at = std::min(span.begin - line_starts_[index], line.size());
  const std::size_t length = std::min(span.end - span.begin, line.size() - at);
  std::size_t from = at > kShownBefore ? at - kShownBefore : 0;
  while (from > 0 && is_continuation(line[from])) --from;
  std::size_t to = std::min(line.size(), at + std::min(length, kShownBehind) + kShownBehind);
  while (to < line.size() && is_continuation(line[to])) ++to;
  const std::string before = (from > 0 ? "..." : "") + shown(line.substr(from, at - from));
  const std::string marked = shown(line.substr(at, std::min(length, to - at)));
  const std::string behind =
      shown(line.substr(at + std::min(length, to - at), to - at - std::min(length, to - at)));
  const std::string number = std::to_string(index + 1);
  return fmt::format("  {} | {}{}{}{}\n  {} | {}{}\n", number, before, marked, behind,
                     to < line.size() ? "..." : "", std::string(number.size(), ' '),
                     std::string(display_width(before), ' '),
                     std::string(std::max<std::size_t>(display_width(marked), 1), '^'));
}

std::string SourceText::describe(const SourceProblem& problem) const {
  const SourcePlace place = place_of(problem.span.begin);
  const std::string pointer = problem.pointer.empty() ? "" : shown(problem.pointer) + ": ";
  std::string text = fmt::format("{}:{}:{}: {}{}\n", escape_for_terminal(file_), place.line,
                                 place.column, pointer, problem.what);
  text += underlined(problem.span);
  if (!problem.hint.empty()) text += "  " + problem.hint + "\n";
  return text;
}

std::string describe(std::string_view field, std::string_view text, const TextMistake& mistake) {
  const std::size_t begin = std::min(mistake.span.begin, text.size());
  const std::size_t end = std::clamp(mistake.span.end, begin, text.size());
  const std::string before = shown(text.substr(0, begin));
  const std::string marked = shown(text.substr(begin, end - begin));
  return fmt::format("{}: {}\n  {}{}{}\n  {}{}\n  {}", field, mistake.what, before, marked,
                     shown(text.substr(end)), std::string(display_width(before), ' '),
                     std::string(std::max<std::size_t>(display_width(marked), 1), '^'),
                     mistake.hint);
}

std::string describe_all(const SourceText& source, std::vector<SourceProblem> problems,
                         std::size_t most) {
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const SourceProblem& a, const SourceProblem& b) { return a.span.begin < b.span.begin; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, problems.size()); ++i)
    text += source.describe(problems[i]);
  if (problems.size() > most) text += fmt::format("and {} more mistakes\n", problems.size() - most);
  return text;
}

}  // namespace rlctl
