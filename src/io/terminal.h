// Terminal: the screen that a live view draws on. Owns its mode: the alternate screen, no echo, no
// cursor, no line wrap; gives all back when destroyed, when a signal ends the process (a crash, a
// second Ctrl-C, a hang-up), and while the process is stopped (Ctrl-Z). Only SIGKILL leaves it as
// it is: `reset` helps then.
//
// Error(Exit::usage) when standard input and output are no terminal. Borrows the loop. One at a
// time in a process, one thread. Make it before Loop::watch_signals(), whose second signal then
// finds the handlers that restore.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/loop.h"

namespace rlctl {

class Terminal {
 public:
  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };

  // Whether there is one to draw on: both streams, and TERM names one that is not dumb.
  static bool is_there();

  // `on_input`: the bytes that were typed; none: it hung up. `on_resize`: also after a stop, when
  // all must be drawn again.
  Terminal(Loop& loop, std::function<void(std::string_view)> on_input,
           std::function<void()> on_resize);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;

  // All of it, before it returns.
  void write(std::string_view bytes);

 private:
  void read();
  void stop_and_go_on();
  void watch(int signal, void (*caught)(int, short, void*));

  std::function<void(std::string_view)> on_input_;
  std::function<void()> on_resize_;
  Loop& loop_;
  std::vector<event*> events_;
};

}  // namespace rlctl
