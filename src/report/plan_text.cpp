#include "report/plan_text.h"

#include <algorithm>

#include "base/table.h"
#include "base/utf8.h"
#include "base/wrap.h"

namespace rlctl {
namespace {

// Heads of several words stand on several lines, so that they do not widen a column of numbers.
std::string head_of(const ReportColumn& column) {
  std::string head = column.name;
  if (column.is_number) std::ranges::replace(head, ' ', '\n');
  return head;
}

// A page has room for a long name, lines of text do not.
std::string cell_text(const ReportColumn& column, const ReportCell& cell) {
  constexpr std::size_t kWidestName = 40;
  return column.is_from_log ? cut_in_middle(cell.text, kWidestName) : cell.text;
}

std::string table_text(const ReportTable& source, std::size_t width) {
  std::vector<Column> columns;
  for (const ReportColumn& column : source.columns)
    columns.push_back({head_of(column), column.is_number ? Align::right : Align::left});
  Table table(std::move(columns), 2);
  for (const std::vector<ReportCell>& row : source.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(cell_text(source.columns[i], row[i]));
    table.add_row(std::move(cells));
  }
  constexpr std::size_t kWidest = 100;
  const std::string note =
      source.note.empty()
          ? "\n"
          : "\n  " + wrapped_text(source.note, width == 0 ? kWidest : std::min(width, kWidest), 2);
  return "\n" + source.title + note + "\n" + table.text(width);
}

}  // namespace

std::string plan_text(const Report& report, std::size_t width) {
  std::string text = report.sentence + "\n";
  for (const ReportFact& fact : report.facts) text += "  " + fact.name + " " + fact.value + "\n";
  for (const ReportTable& table : report.tables) text += table_text(table, width);
  for (const std::string& note : report.notes) text += "\nnote: " + note + "\n";
  return text;
}

}  // namespace rlctl
