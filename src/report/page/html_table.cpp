#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/page/html_parts.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostRoomy = 9;  // more columns need smaller letters

// With a label for screen readers: without it the mark is only a sign and a colour.
const char* html_mark(Mood mood) {
  switch (mood) {
    case Mood::good:
      return "<span class=\"mark\" role=\"img\" aria-label=\"held\">✓</span>";
    case Mood::bad:
      return "<span class=\"mark\" role=\"img\" aria-label=\"broken\">✗</span>";
    case Mood::doubtful:
      return "<span class=\"mark\" role=\"img\" aria-label=\"not decided\">?</span>";
    case Mood::neutral:
      break;
  }
  return "<span class=\"mark\" aria-hidden=\"true\">·</span>";
}

// A column in which nothing was measured would only push the others out of sight.
ReportTable without_empty_columns(ReportTable table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const auto is_empty = [i](const auto& row) {
      return row[i].text.empty() || row[i].text == "-";
    };
    if (!std::ranges::all_of(table.rows, is_empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  return table;
}

std::string head_of(const ReportTable& table) {
  std::string html = "<thead><tr>";
  for (const ReportColumn& column : table.columns)
    html += fmt::format("<th scope=\"col\"{}><button type=\"button\">{}</button></th>",
                        column.is_number ? " class=\"number\"" : "", html_text(column.name));
  return html + "</tr></thead>\n";
}

std::string cell_of(const ReportColumn& column, const ReportCell& cell) {
  std::string classes = column.is_number ? "number" : "text";
  if (cell.mood != Mood::neutral) classes += std::string(" tone ") + html_class(cell.mood);
  const std::string value = cell.value ? fmt::format(" data-value=\"{}\"", *cell.value) : "";
  return fmt::format("<td class=\"{}\"{}>{}</td>", classes, value, html_text(cell.text));
}

}  // namespace

std::string html_text(std::string_view text) { return xml_escape(text); }

std::string html_text_lines(std::string_view text) { return xml_escape(text, true); }

const char* html_class(Mood mood) {
  switch (mood) {
    case Mood::good:
      return "good";
    case Mood::bad:
      return "bad";
    case Mood::doubtful:
      return "doubtful";
    case Mood::neutral:
      break;
  }
  return "neutral";
}

std::string html_table(const ReportTable& whole) {
  if (whole.rows.empty()) return {};
  const ReportTable table = without_empty_columns(whole);
  std::string html =
      "<div class=\"card\"><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"" +
      html_text(table.title) + "\">\n<table" +
      (table.columns.size() > kMostRoomy ? " class=\"tight\"" : "") + ">\n<caption>" +
      html_text(table.title) + "</caption>\n" + head_of(table) + "<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell_of(table.columns[i], row[i]);
    html += "</tr>\n";
  }
  html += "</tbody></table></div>";
  if (!table.note.empty()) html += "<p class=\"thin\">" + html_text(table.note) + "</p>";
  return html + "</div>\n";
}

std::string html_checks(const std::vector<ReportCheck>& checks) {
  if (checks.empty()) return {};
  std::string html = "<ul class=\"checks\">\n";
  for (const ReportCheck& check : checks)
    html += fmt::format("<li class=\"{}\">{}{}<span class=\"message\">{}</span></li>\n",
                        html_class(check.mood), html_mark(check.mood), html_text(check.name),
                        html_text(check.message));
  return html + "</ul>\n";
}

std::string html_notes(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string html = "<ul class=\"notes\">\n";
  for (const std::string& note : notes) html += "<li>" + html_text(note) + "</li>\n";
  return html + "</ul>\n";
}

}  // namespace rlctl
