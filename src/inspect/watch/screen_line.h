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

// The bytes that make a terminal show these lines. It writes only lines that changed since the last
// call, all in one write, so that the screen does not flicker. Owns the lines that are shown.
class ScreenUpdate {
 public:
  // Empty if nothing changed.
  std::string to(const std::vector<std::string>& lines);

  // Call this when the terminal shows something else (a new size, another program): the next call
  // of to() draws all lines.
  void forget();

 private:
  std::vector<std::string> shown_;
  bool known_ = false;
};

}  // namespace rlctl
