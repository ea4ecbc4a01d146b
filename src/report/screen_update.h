// ScreenUpdate: what to write so that a terminal shows these lines: only those that changed since
// the last time, in one piece, so that nothing flickers. Owns the lines that are shown. Pure.
#pragma once

#include <string>
#include <vector>

namespace rlctl {

class ScreenUpdate {
 public:
  // Empty when nothing changed.
  std::string to(const std::vector<std::string>& lines);

  // The terminal shows something else now (a new size, another program): all is drawn next time.
  void forget();

 private:
  std::vector<std::string> shown_;
  bool known_ = false;
};

}  // namespace rlctl
