// ScreenUpdate: the bytes that make a terminal show these lines. It writes only lines that changed
// since the last call, all in one write, so that the screen does not flicker. Owns the lines that
// are shown. Pure.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

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
