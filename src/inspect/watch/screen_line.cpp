#include "inspect/watch/screen_line.h"

#include "base/utf8.h"

namespace rlctl {
namespace {

// Without colours, `good` looks normal, but `bad` must stay visible: it is bold.
const char* code_of(Look look, Paint paint) {
  const bool colour = paint == Paint::colour;
  switch (look) {
    case Look::dim:
      return ";2";
    case Look::strong:
      return ";1";
    case Look::good:
      return colour ? ";32" : "";
    case Look::warning:
      return colour ? ";33" : "";
    case Look::bad:
      return colour ? ";31" : ";1";
    case Look::alarm:
      return colour ? ";1;31" : ";1";
    case Look::chosen:
      return ";7";
    case Look::normal:
      break;
  }
  return "";
}

}  // namespace

ScreenLine& ScreenLine::add(std::string_view text, Look look) {
  if (text.empty()) return *this;
  pieces_.push_back({std::string(text), look});
  width_ += display_width(text);
  return *this;
}

ScreenLine& ScreenLine::fill_to(std::size_t column) {
  if (width_ >= column) return *this;
  return add(std::string(column - width_, ' '));
}

std::string ScreenLine::text(std::size_t columns, Paint paint) const {
  std::string out;
  std::size_t left = columns;
  for (const Piece& piece : pieces_) {
    const std::string shown = cut_to_width(piece.text, left);
    left -= display_width(shown);
    const std::string codes = paint == Paint::plain ? "" : code_of(piece.look, paint);
    out += codes.empty() ? shown : "\x1b[0" + codes + "m" + shown + "\x1b[0m";
    if (left == 0) break;
  }
  return out;
}

}  // namespace rlctl
