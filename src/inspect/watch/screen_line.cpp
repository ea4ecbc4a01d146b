#include "inspect/watch/screen_line.h"

#include <fmt/format.h>

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

std::string ScreenUpdate::to(const std::vector<std::string>& lines) {
  std::string bytes;
  if (!known_) bytes = "\x1b[0m\x1b[H\x1b[2J";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (known_ && i < shown_.size() && shown_[i] == lines[i]) continue;
    // Erases the line before writing the text: a full line leaves the cursor on its last column, so
    // erasing afterwards would remove the last character.
    bytes += fmt::format("\x1b[{};1H\x1b[2K{}", i + 1, lines[i]);
  }
  for (std::size_t i = lines.size(); i < shown_.size(); ++i)
    bytes += fmt::format("\x1b[{};1H\x1b[2K", i + 1);
  shown_ = lines;
  known_ = true;
  return bytes;
}

void ScreenUpdate::forget() {
  shown_.clear();
  known_ = false;
}

}  // namespace rlctl
