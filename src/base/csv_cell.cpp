#include "base/csv_cell.h"

#include <cstddef>

namespace rlctl {
namespace {

// What makes a spreadsheet calculate, also behind blanks; and our own mark, to tell it apart.
bool is_taken_for_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first != std::string_view::npos &&
         std::string_view("=+-@'\t\r").find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string protected_cell(std::string_view text) {
  return is_taken_for_formula(text) ? "'" + std::string(text) : std::string(text);
}

std::string_view unprotected_cell(std::string_view cell) {
  const bool marked = cell.starts_with('\'') && is_taken_for_formula(cell.substr(1));
  return marked ? cell.substr(1) : cell;
}

}  // namespace rlctl
