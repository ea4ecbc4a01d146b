#include "io/terminal.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <new>

#include "base/error.h"

namespace rlctl {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[H\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

// Signals that end a process without running destructors.
constexpr std::array kDeadly{SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT, SIGSYS,
                             SIGTRAP, SIGQUIT, SIGHUP, SIGINT, SIGTERM};

// A signal handler gets only a number, so what it needs to restore is global. Written only while no
// handler is installed.
struct Kept {
  termios before{};
  termios ours{};
  std::array<struct sigaction, kDeadly.size()> handlers{};
  volatile sig_atomic_t taken = 0;
  alignas(16) char stack[64 * 1024];  // a stack that has overflown can't run a handler
};
Kept kept;

// Async-signal-safe, like everything that the handler calls.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd writable{STDOUT_FILENO, POLLOUT, 0};
      poll(&writable, 1, 1'000);
    } else if (written < 0 && errno != EINTR) {
      return;
    }
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void give_back() {
  if (kept.taken == 0) return;
  kept.taken = 0;
  write_all(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &kept.before);
}

void take() {
  tcsetattr(STDIN_FILENO, TCSANOW, &kept.ours);
  write_all(kEnter);
  kept.taken = 1;
}

// Restores the mode, then lets the signal take its default effect.
void on_deadly(int signal) {
  const int problem = errno;
  give_back();
  for (std::size_t i = 0; i < kDeadly.size(); ++i)
    if (kDeadly[i] == signal) sigaction(signal, &kept.handlers[i], nullptr);
  errno = problem;
  raise(signal);
}

void use_own_signal_stack() {
  stack_t present{};
  if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  stack_t own{};
  own.ss_sp = kept.stack;
  own.ss_size = sizeof kept.stack;
  sigaltstack(&own, nullptr);
}

void install_handlers() {
  use_own_signal_stack();
  struct sigaction deadly {};
  deadly.sa_handler = on_deadly;
  deadly.sa_flags = SA_ONSTACK;
  sigemptyset(&deadly.sa_mask);
  for (std::size_t i = 0; i < kDeadly.size(); ++i)
    sigaction(kDeadly[i], &deadly, &kept.handlers[i]);
}

void remove_handlers() {
  for (std::size_t i = 0; i < kDeadly.size(); ++i)
    sigaction(kDeadly[i], &kept.handlers[i], nullptr);
}

// Input without line editing; Ctrl-C and Ctrl-Z still send signals.
termios key_by_key(termios mode) {
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | IEXTEN);
  mode.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  return mode;
}

}  // namespace

bool Terminal::is_there() {
  const char* name = getenv("TERM");
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && name != nullptr &&
         *name != '\0' && strcmp(name, "dumb") != 0;
}

Terminal::Terminal(Loop& loop, std::function<void(std::string_view)> on_input,
                   std::function<void()> on_resize)
    : on_input_(std::move(on_input)), on_resize_(std::move(on_resize)), loop_(loop) {
  if (tcgetattr(STDIN_FILENO, &kept.before) != 0)
    throw Error(Exit::usage, "standard input is not a terminal");
  kept.ours = key_by_key(kept.before);
  install_handlers();
  take();
  event* input = event_new(
      loop.base(), STDIN_FILENO, EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<Terminal*>(self)->read(); }, this);
  if (input == nullptr) throw std::bad_alloc();
  event_add(input, nullptr);
  events_.push_back(input);
  watch(SIGWINCH, [](int, short, void* self) { static_cast<Terminal*>(self)->on_resize_(); });
  watch(SIGTSTP, [](int, short, void* self) { static_cast<Terminal*>(self)->stop_and_go_on(); });
}

Terminal::~Terminal() {
  for (event* watched : events_) event_free(watched);
  give_back();
  remove_handlers();
}

void Terminal::watch(int signal, void (*caught)(int, short, void*)) {
  event* watched = evsignal_new(loop_.base(), signal, caught, this);
  if (watched == nullptr) throw std::bad_alloc();
  event_add(watched, nullptr);
  events_.push_back(watched);
}

void Terminal::read() {
  char bytes[512];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) event_del(events_.front());
  on_input_(std::string_view(bytes, got > 0 ? static_cast<std::size_t>(got) : 0));
}

void Terminal::stop_and_go_on() {
  give_back();
  raise(SIGSTOP);
  take();
  on_resize_();
}

Terminal::Size Terminal::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

void Terminal::write(std::string_view bytes) { write_all(bytes); }

}  // namespace rlctl
