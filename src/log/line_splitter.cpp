#include "log/line_splitter.h"

namespace rlctl {

void LineSplitter::keep(std::string_view bytes) {
  if (skipping_) return;
  if (pending_.size() + bytes.size() > kLongestLine) {
    skipping_ = true;
    pending_ = std::string();
  } else {
    pending_ += bytes;
  }
}

void LineSplitter::forget() {
  pending_.clear();
  skipping_ = false;
}

LineSplitter::Line LineSplitter::line(std::string_view text) {
  if (++lines_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {text, lines_, false};
}

LineSplitter::Line LineSplitter::pending_line() {
  if (skipping_) return {{}, ++lines_, true};
  return line(pending_);
}

}  // namespace rlctl
