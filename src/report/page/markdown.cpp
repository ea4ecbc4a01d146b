#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/page/formats.h"

namespace rlctl {
namespace {

// GitHub makes links of bare addresses: "https://…", "www.…".
bool begins_link(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("://") ||
         (at >= 3 && text[at] == '.' && equals_ignoring_case(text.substr(at - 3, 3), "www"));
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (std::string_view("\\`*_{}[]>#|~$@").find(c) != std::string_view::npos ||
             begins_link(text, at))
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

const char* markdown_mark(Mood mood) {
  switch (mood) {
    case Mood::good:
      return "✅ ";
    case Mood::bad:
      return "❌ ";
    case Mood::doubtful:
      return "❔ ";
    case Mood::neutral:
      break;
  }
  return "";
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string markdown_table(const ReportTable& table) {
  if (table.rows.empty()) return {};
  std::vector<std::string> head;
  std::vector<std::string> rule;
  for (const ReportColumn& column : table.columns) {
    head.push_back(markdown_text(column.name));
    rule.push_back(column.is_number ? "---:" : "---");
  }
  std::string text =
      "\n**" + markdown_text(table.title) + "**\n\n" + markdown_line(head) + markdown_line(rule);
  const std::size_t all = table.rows.size();
  const std::size_t shown = table.most_in_summary == 0 ? all : std::min(table.most_in_summary, all);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells;
    for (const ReportCell& cell : table.rows[i])
      cells.push_back(markdown_mark(cell.mood) + markdown_text(cell.text));
    text += markdown_line(cells);
  }
  if (shown < all) text += fmt::format("\nthe first {} of {} rows\n", shown, all);
  if (!table.note.empty()) text += "\n" + markdown_text(table.note) + "\n";
  return text;
}

// A fence longer than any run of backticks in it.
std::string fenced(const std::vector<std::string>& lines) {
  std::size_t longest = 2;
  std::string body;
  for (const std::string& line : lines) {
    std::size_t run = 0;
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    body += line + "\n";
  }
  const std::string fence(longest + 1, '`');
  return "\n" + fence + "\n" + body + fence + "\n";
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text = notes.empty() ? "" : "\n";
  for (const std::string& note : notes) text += "- " + markdown_text(note) + "\n";
  return text;
}

std::string run_text(const ReportRun& run, bool alone) {
  std::string text;
  if (!alone)
    text += fmt::format("\n### {}{}: {}\n\n", markdown_mark(run.mood), markdown_text(run.name),
                        markdown_text(run.sentence));
  for (const ReportCheck& check : run.checks)
    text += fmt::format("- {}{}: {}\n", markdown_mark(check.mood), markdown_text(check.name),
                        markdown_text(check.message));
  if (!run.remedy.empty()) text += "- to get a verdict: " + markdown_text(run.remedy) + "\n";
  if (run.mood != Mood::good || alone)
    for (const ReportTable& table : run.tables) text += markdown_table(table);
  return text + notes_text(run.notes);
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string text = fmt::format("## {}{}: {}\n\n", markdown_mark(report.mood),
                                 markdown_text(report.verdict), markdown_text(report.sentence));
  for (std::size_t i = 0; i < report.facts.size(); ++i)
    text += fmt::format("{}{}: {}", i > 0 ? " · " : "", markdown_text(report.facts[i].name),
                        markdown_text(report.facts[i].value));
  if (!report.facts.empty()) text += "\n\n";
  for (const ReportTable& table : report.tables) text += markdown_table(table);
  for (const ReportRun& run : report.runs) text += run_text(run, report.runs.size() == 1);
  if (!report.commands.empty()) text += "\nTo run it again:\n" + fenced(report.commands);
  return text + notes_text(report.notes);
}

}  // namespace rlctl
