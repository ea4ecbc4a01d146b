// A text table for a terminal or a pipe: aligned columns, headers underlined in plain ASCII, two
// blanks between columns, no trailing blanks. Cells are printed as given: the caller escapes input
// from outside (base/escape.h). A header may have several lines ('\n'), so that long words do not
// widen a column of small numbers. Pure; a row longer than the header is a bug (assert).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string header;
  Align align = Align::left;
  // If lines are too wide, its cells are cut in their middle, to so many columns at the least.
  // 0: never.
  std::size_t least = 0;
};

class Table {
 public:
  // `indent`: blanks before each line.
  explicit Table(std::vector<Column> columns, std::size_t indent = 0);

  // Missing cells at the end are empty. A cell is one line.
  void add_row(std::vector<std::string> cells);

  // Adds a horizontal line before the rows that follow, for a total or a group.
  void add_rule();

  bool empty() const { return rows_.empty(); }
  // Of its lines, if there is no bound.
  std::size_t width() const { return total(widths()); }

  // Every line ends with a newline. Without any header text there is no header and no line below
  // it; an empty column takes no space. If lines would be wider than `most` columns (0: no bound),
  // cells that may be cut are; else long cells of the first column get a line of their own; else a
  // last column of words does; else each row is a paragraph: "a", and below it "used 1, left 20".
  std::string text(std::size_t most = 0) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> cut_widths(std::size_t most) const;
  std::vector<std::size_t> widths_within(std::size_t most) const;
  std::string row_text(std::vector<std::string> row, const std::vector<std::size_t>& widths,
                       std::size_t most) const;
  std::string paragraph(const std::vector<std::string>& row, std::size_t most) const;
  std::size_t total(const std::vector<std::size_t>& widths) const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;
  std::string rule(const std::vector<std::size_t>& widths) const;
  std::string header(const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
  std::size_t indent_;
};

}  // namespace rlctl
