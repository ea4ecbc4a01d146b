#include "report/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/utf8.h"

namespace rlctl {

Table::Table(std::vector<Column> columns, std::size_t indent)
    : columns_(std::move(columns)), indent_(indent) {
  assert(!columns_.empty());
}

void Table::add_row(std::vector<std::string> cells) {
  assert(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::add_rule() { rows_.emplace_back(); }

bool Table::has_header() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& column) { return !column.header.empty(); });
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.header));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string out(indent_, ' ');
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) out += "  ";
    const bool left = columns_[i].align == Align::left;
    out += left ? pad_right(cells[i], widths[i]) : pad_left(cells[i], widths[i]);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string Table::rule(const std::vector<std::size_t>& widths) const {
  std::vector<std::string> dashes;
  for (const std::size_t width : widths) dashes.emplace_back(width, '-');
  return line(dashes, widths);
}

std::string Table::text() const {
  const std::vector<std::size_t> columns = widths();
  std::string out;
  if (has_header()) {
    std::vector<std::string> headers;
    for (const Column& column : columns_) headers.push_back(column.header);
    out += line(headers, columns) + rule(columns);
  }
  for (const auto& row : rows_) out += row.empty() ? rule(columns) : line(row, columns);
  return out;
}

}  // namespace rlctl
