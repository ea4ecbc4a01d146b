// ScreenLine: one line of a terminal, made of pieces of text, each with its look, and cut to a
// width. Pieces must not contain control characters (base/escape.h). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// What the terminal can show: text only; also bold, dim and reverse (NO_COLOR); also colours.
enum class Paint : std::uint8_t { plain, monochrome, colour };

enum class Look : std::uint8_t { normal, dim, strong, good, warning, bad, alarm, chosen };

class ScreenLine {
 public:
  ScreenLine& add(std::string_view text, Look look = Look::normal);
  // Adds blanks up to this column, if the line is shorter.
  ScreenLine& fill_to(std::size_t column);

  std::size_t width() const { return width_; }

  // The line, cut to at most `columns` columns.
  std::string text(std::size_t columns, Paint paint) const;

 private:
  struct Piece {
    std::string text;
    Look look = Look::normal;
  };
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

}  // namespace rlctl
