// ScreenLine: one line of a terminal, put together from pieces of text with a look each, and cut to
// a width. Pieces hold no control characters (core/escape.h). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// What the terminal may show: nothing but text; bold, dim and reverse (NO_COLOR); colours too.
enum class Paint : std::uint8_t { plain, monochrome, colour };

enum class Look : std::uint8_t { normal, dim, strong, good, warning, bad, alarm, chosen };

class ScreenLine {
 public:
  ScreenLine& add(std::string_view text, Look look = Look::normal);
  // Blanks up to this column, if it is not reached.
  ScreenLine& fill_to(std::size_t column);

  std::size_t width() const { return width_; }

  // In at most `columns`.
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
