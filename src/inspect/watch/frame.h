// The live view as the lines of a screen of any size from 20 x 5 up: a summary, the limiters with
// their bars, a question or message, the keys. Pure: the same input gives the same lines. Names are
// escaped here; `detail`, `question` and `message` must be escaped already.
#pragma once

#include <string>
#include <vector>

#include "inspect/watch/screen_line.h"
#include "inspect/watch/status.h"
#include "inspect/watch/view.h"

namespace rlctl {

struct ScreenSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

struct ScreenStyle {
  Paint paint = Paint::colour;
  bool unicode = true;  // block characters for the bars
};

struct WatchScreen {
  WatchStatus status;
  std::vector<LimiterRow> rows;  // in display order (inspect/watch/view.h)
  RowCounts counts;              // of all limiters, including filtered-out ones
  // Of the limiters that were looked at twice and whose state shows it.
  double allowed_per_s = 0;
  double denied_per_s = 0;
  bool allowed_is_guess = false;  // a part of it
  bool denied_is_guess = false;
  bool rates_complete = false;  // of all limiters; else more may be allowed
  WatchView view;
  std::vector<std::string> detail;  // inspect: the lines
  std::string question;             // confirm_reset: what would be removed
  std::string message;              // the result of the last key press
};

// How many limiters, or lines of detail, fit on a screen of this size.
std::size_t watch_page(ScreenSize size);

// At most size.rows lines of at most size.columns columns.
std::vector<std::string> watch_frame(const WatchScreen& screen, ScreenSize size, ScreenStyle style);

// The help, in lines of at most `columns` columns.
std::vector<std::string> watch_help(std::size_t columns);

}  // namespace rlctl
