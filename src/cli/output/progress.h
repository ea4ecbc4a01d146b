// The progress line of a long run, on standard error: what it does, how much is done, rate, time
// left. It is shown only on a terminal that is not dumb, and not for a background job. It is
// redrawn five times a second, cut to the terminal's width, and removed at the end, at an error and
// at Ctrl-C. One at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/work.h"
#include "io/loop.h"

namespace rlctl {

struct ScenarioProgress;

// For what is printed while a progress line may be shown: removes it from a terminal.
std::string_view progress_wipe();

class Progress {
 public:
  // For work in a loop: calls `line` again and again while the loop runs. `line` returns the text,
  // escaped and without a newline. Borrows the loop.
  Progress(Loop& loop, bool wanted, std::function<std::string()> line);
  // The same for a Work; the rate counts from the time at which the current `what` began.
  Progress(Loop& loop, bool wanted, std::function<Work()> work);

  // For work without a loop: the code that works calls show().
  explicit Progress(bool wanted);
  void show(const Work& work);
  // Removes the line until it is drawn again, so that a message can be shown.
  void wipe();
  // Borrows this. Empty if no progress is shown.
  WorkWatcher watcher();

  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  std::string line_of(const Work& work);
  std::int64_t time_at_this_rate_us(const Work& work) const;
  void draw(const std::string& line);

  std::optional<Ticker> ticker_;
  bool shown_ = false;  // a line can be drawn
  bool drawn_ = false;  // a line is on the screen
  std::string what_;
  std::int64_t what_began_us_ = 0;
  std::int64_t done_before_ = 0;
  std::int64_t drawn_us_ = 0;
};

// The progress of a scenario that is being played: "burst: 12s of 58s, 20 %, 46s left, 1,234
// decisions", behind `before`, which is escaped. Where no line is shown, one message says that the
// run goes on for long after its planned end, and why. Borrows the loop and the progress.
class ScenarioLine {
 public:
  ScenarioLine(Loop& loop, bool wanted, const ScenarioProgress& progress, std::string before = {});

 private:
  std::string line() const;
  void tell_long_wait();

  const ScenarioProgress& progress_;
  std::string before_;
  std::int64_t began_us_;
  bool told_ = false;
  std::optional<Ticker> teller_;
  Progress line_;
};

}  // namespace rlctl
