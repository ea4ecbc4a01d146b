#include "base/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "base/wrap.h"

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

// Cuts the widest of the columns that may be cut, as far as it takes.
std::vector<std::size_t> Table::cut_widths(std::size_t most) const {
  std::vector<std::size_t> cut = widths();
  for (std::size_t all = total(cut); all > most; all = total(cut)) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < cut.size(); ++i)
      if (columns_[i].least > 0 && cut[i] > columns_[i].least &&
          (widest == nullptr || cut[i] > *widest))
        widest = &cut[i];
    if (widest == nullptr) return {};
    *widest -= 1;
  }
  return cut;
}

// Cells wider than their column get a line of their own. Empty: no such table fits.
std::vector<std::size_t> Table::widths_within(std::size_t most) const {
  const std::vector<std::size_t> wide = widths();
  if (most == 0 || total(wide) <= most) return wide;
  if (std::vector<std::size_t> cut = cut_widths(most); !cut.empty()) return cut;
  std::vector<std::size_t> folded = wide;
  folded.front() = display_width(columns_.front().header);
  if (total(folded) <= most) return folded;
  const Column& last = columns_.back();
  if (last.align == Align::right || !last.header.empty()) return {};
  for (std::vector<std::size_t> widths : {wide, folded}) {
    widths.back() = 0;
    if (total(widths) <= most) return widths;
  }
  return {};
}

std::string Table::row_text(std::vector<std::string> row, const std::vector<std::size_t>& widths,
                            std::size_t most) const {
  constexpr std::size_t kFurther = 4;
  if (row.empty()) return rule(widths);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (columns_[i].least > 0 && widths[i] >= columns_[i].least)
      row[i] = cut_in_middle(row[i], widths[i]);
  std::string out;
  if (display_width(row.front()) > widths.front()) {
    std::string first = std::exchange(row.front(), {});
    if (columns_.front().least > 0) first = cut_in_middle(first, most - std::min(most, indent_));
    out += std::string(indent_, ' ') + first + "\n";
  }
  std::string words;
  if (widths.back() == 0) words = std::exchange(row.back(), {});
  out += line(row, widths);
  return words.empty() ? out : out + std::string(indent_ + kFurther, ' ') + words + "\n";
}

// Its first cell, and below it the others, each after its header.
std::string Table::paragraph(const std::vector<std::string>& row, std::size_t most) const {
  constexpr std::size_t kFurther = 2;
  if (row.empty()) return {};
  const std::size_t room = most - std::min(most, indent_);
  const bool may_be_cut = columns_.front().least > 0;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i].empty()) continue;
    const std::string header = joined(split(columns_[i].header, '\n'), " ");
    others.push_back(header.empty() ? row[i] : header + ' ' + row[i]);
  }
  std::string text = may_be_cut ? cut_in_middle(row.front(), room) : row.front();
  std::string out;
  for (const std::string& part : wrapped(text, room))
    out += std::string(indent_, ' ') + part + "\n";
  const std::string inner(indent_ + kFurther, ' ');
  for (const std::string& part : wrapped(joined(others), room - std::min(room, kFurther)))
    out += inner + part + "\n";
  return out;
}

std::string Table::text(std::size_t most) const {
  const std::vector<std::size_t> columns = widths_within(most);
  std::string out = columns.empty() ? std::string() : header(columns);
  for (const std::vector<std::string>& row : rows_)
    out += columns.empty() ? paragraph(row, most) : row_text(row, columns, most);
  return out;
}

}  // namespace rlctl
