// A table of text for a terminal or a pipe: columns aligned, headers underlined in plain ASCII, two
// blanks between columns, no trailing blanks. Cells are shown as given: escape what came from
// outside (core/escape.h). A header may have several lines ('\n'), so that long words do not widen
// a column of small numbers. Pure; a row longer than the header is our own mistake (assert).
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
};

class Table {
 public:
  // `indent`: blanks before each line.
  explicit Table(std::vector<Column> columns, std::size_t indent = 0);

  // Missing cells at the end are empty. A cell is one line.
  void add_row(std::vector<std::string> cells);

  // A line across, before the rows that follow: a total, a group.
  void add_rule();

  bool empty() const { return rows_.empty(); }

  // Every line ends with a newline. Without any header text there is neither header nor line; a
  // column of nothing takes no place. Where lines would be wider than `most` columns (0: as wide
  // as they are), what is long in the first column stands on a line of its own.
  std::string text(std::size_t most = 0) const;

 private:
  std::vector<std::size_t> widths() const;
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
