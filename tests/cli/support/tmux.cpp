#include "cli/support/tmux.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cli/support/process.h"

namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Tmux::Tmux(int columns, int rows) : columns_(columns), rows_(rows) {}

Tmux::~Tmux() {
  try {
    run({"kill-server"});
  } catch (const std::exception&) {
  }
}

std::string Tmux::run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-u", "-f", "/dev/null", "-S", folder_ / "socket"});
  const Outcome outcome =
      run_program("tmux", arguments, {}, {"TMUX=", "LANG=C.UTF-8", "LC_ALL=", "NO_COLOR="});
  if (outcome.exit == 127) throw std::runtime_error("no tmux");
  return outcome.out;
}

void Tmux::start(const std::string& script) {
  // `cat` keeps the pane, and shows whether the terminal echoes.
  run({"new-session", "-d", "-x", std::to_string(columns_), "-y", std::to_string(rows_),
       "cd " + folder_.path() + "; " + script + "\nexec cat"});
}

void Tmux::type(std::vector<std::string> keys) {
  keys.insert(keys.begin(), "send-keys");
  run(std::move(keys));
}

void Tmux::resize(int columns, int rows) {
  run({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
}

std::string Tmux::screen() { return run({"capture-pane", "-p"}); }

std::string Tmux::screen_with_colours() { return run({"capture-pane", "-e", "-p"}); }

std::string Tmux::ask(const std::string& format) {
  std::string answer = run({"display-message", "-p", format});
  return answer.substr(0, answer.find('\n'));
}

std::string Tmux::file(const std::string& name) const { return folder_.read(name); }

bool Tmux::shows(const std::string& text) {
  return comes_to([&](const std::string& screen) { return screen.find(text) != screen.npos; });
}

bool Tmux::comes_to(const std::function<bool(const std::string& screen)>& is) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string last;
  do {
    last = screen();
    if (is(last)) return true;
    std::this_thread::sleep_for(kLook);
  } while (std::chrono::steady_clock::now() < end);
  MESSAGE("the screen at the end:\n" << last);
  return false;
}
