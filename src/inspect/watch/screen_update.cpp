#include "inspect/watch/screen_update.h"

#include <fmt/format.h>

namespace rlctl {

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
