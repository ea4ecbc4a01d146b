// A line on standard error that says what a long run is doing: on a terminal only, redrawn five
// times a second, wiped at the end. Borrows the loop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/ticker.h"

namespace rlctl {

class Progress {
 public:
  // `line` makes the text: one line without a newline; it is cut to the terminal's width.
  Progress(Loop& loop, bool wanted, std::function<std::string()> line);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void draw() const;

  std::function<std::string()> line_;
  std::optional<Ticker> ticker_;
};

}  // namespace rlctl
