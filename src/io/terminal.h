// Terminal: the screen of a live view. Owns the terminal's mode: alternate screen, no echo, no
// cursor, no line wrap. It restores the old mode when it is destroyed, when a signal ends the
// process (a crash, a second Ctrl-C, a hang-up), and while the process is stopped (Ctrl-Z). Only
// SIGKILL leaves the mode as it is; then run `reset`.
//
// Throws Error(Exit::usage) if standard input and output are not a terminal. Borrows the loop. One
// at a time in a process, one thread. Create it before Loop::watch_signals(): the second signal
// then finds the handlers that restore the mode.
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

  // True if input and output are a terminal and TERM names one that is not dumb.
  static bool is_there();

  // `on_input` gets the typed bytes; no bytes mean that the terminal hung up. `on_resize` is also
  // called after a stop, when everything must be drawn again.
  Terminal(Loop& loop, std::function<void(std::string_view)> on_input,
           std::function<void()> on_resize);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;

  // Writes all bytes before it returns.
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
