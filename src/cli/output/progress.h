// A line on standard error that says what a long run is doing: what, done of all, rate, time left.
// On a terminal only (never a dumb one, never for a job in the background), redrawn five times a
// second in the terminal's width, wiped at the end, at an error and at Ctrl-C. One at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/work.h"
#include "io/ticker.h"

namespace rlctl {

class Progress {
 public:
  // For work that a loop does: `line` makes the text, escaped and without a newline, again and
  // again while the loop runs. Borrows the loop.
  Progress(Loop& loop, bool wanted, std::function<std::string()> line);
  // The same of a Work; its rate is taken since its `what` began.
  Progress(Loop& loop, bool wanted, std::function<Work()> work);

  // For work without a loop: whoever does it tells.
  explicit Progress(bool wanted);
  void show(const Work& work);
  // Borrows this; nothing to call where nothing is shown.
  WorkWatcher watcher();

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  std::string line_of(const Work& work);
  void draw(const std::string& line);
  void wipe();

  std::optional<Ticker> ticker_;
  bool shown_ = false;  // may be
  bool drawn_ = false;  // is
  std::string what_;
  std::int64_t what_began_us_ = 0;
  std::int64_t drawn_us_ = 0;
};

}  // namespace rlctl
