// Splits a stream of bytes into lines, in bounded memory. LF or CRLF ends a line; the last line
// needs neither. A line longer than kLongestLine is reported once, without its text, and never
// stored. A UTF-8 byte order mark at the start is dropped. Pure; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

class LineSplitter {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

  struct Line {
    std::string_view text;     // valid until the next call of the splitter
    std::uint64_t number = 0;  // from 1
    bool too_long = false;

    // Why no reader may see it; null: it may.
    const char* problem() const {
      if (too_long) return "the line is longer than 1 MiB";
      return text.find('\0') == text.npos ? nullptr : "the line contains a NUL byte";
    }
  };

  LineSplitter() = default;
  // Of the lines after so many others.
  explicit LineSplitter(std::uint64_t lines_before) : lines_(lines_before) {}

  // Calls `on_line(const Line&)` for each line that `bytes` completes.
  template <class OnLine>
  void feed(std::string_view bytes, OnLine&& on_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) return keep(bytes);
      if (pending_.empty() && !skipping_ && end <= kLongestLine) {
        on_line(line(bytes.substr(0, end)));
      } else {
        keep(bytes.substr(0, end));
        on_line(pending_line());
        forget();
      }
      bytes.remove_prefix(end + 1);
    }
  }

  // The lines that were completed, and what came of the next one.
  std::uint64_t lines() const { return lines_; }
  std::string_view pending() const { return pending_; }
  bool is_in_long_line() const { return skipping_; }

  // Calls `on_line` for the last line, if no LF ended it.
  template <class OnLine>
  void finish(OnLine&& on_line) {
    if (!pending_.empty() || skipping_) on_line(pending_line());
    forget();
  }

 private:
  void keep(std::string_view bytes);
  void forget();
  Line line(std::string_view text);
  Line pending_line();

  std::string pending_;
  bool skipping_ = false;
  std::uint64_t lines_ = 0;
};

}  // namespace rlctl
