#include "base/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

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

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    widths.push_back(0);
    for (const std::string& part : split(column.header, '\n'))
      widths.back() = std::max(widths.back(), display_width(part));
  }
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
    if (widths[i] == 0) continue;
    if (out.size() > indent_) out += "  ";
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

// Headers with fewer lines are placed at the bottom, next to their column.
std::string Table::header(const std::vector<std::size_t>& widths) const {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::vector<std::string> parts = split(columns_[i].header, '\n');
    while (lines.size() < parts.size()) lines.emplace(lines.begin(), columns_.size());
    for (std::size_t at = 0; at < parts.size(); ++at)
      lines[lines.size() - parts.size() + at][i] = parts[at];
  }
  std::string out;
  for (const auto& cells : lines) out += line(cells, widths);
  return out.empty() ? out : out + rule(widths);
}

std::size_t Table::total(const std::vector<std::size_t>& widths) const {
  std::size_t total = indent_;
  for (const std::size_t width : widths) total += width == 0 ? 0 : width + 2;
  return total - std::min<std::size_t>(total, 2);
}

std::string Table::text(std::size_t most) const {
  std::vector<std::size_t> columns = widths();
  const bool folded = most > 0 && total(columns) > most;
  if (folded) columns[0] = display_width(columns_[0].header);
  std::string out = header(columns);
  for (std::vector<std::string> row : rows_) {
    if (folded && !row.empty() && display_width(row[0]) > columns[0])
      out += std::string(indent_, ' ') + std::exchange(row[0], {}) + "\n";
    out += row.empty() ? rule(columns) : line(row, columns);
  }
  return out;
}

}  // namespace rlctl
