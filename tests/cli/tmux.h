// A real terminal for tests: a tmux server of the test's own, one pane in it, which is typed into,
// read and resized. Owns the server and a directory beside its socket, both gone with it.
// std::runtime_error when tmux can't be run. What takes time is waited for, up to a minute.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/folder.h"

class Tmux {
 public:
  explicit Tmux(int columns = 80, int rows = 24);
  ~Tmux();
  Tmux(const Tmux&) = delete;
  Tmux& operator=(const Tmux&) = delete;

  // Runs a shell's script in the pane, which stays when it has ended.
  void start(const std::string& script);

  // As tmux names keys: {"C-c"}, {"Down", "Enter"}, {"-l", "text"}.
  void type(std::vector<std::string> keys);
  void resize(int columns, int rows);

  std::string screen();                             // text, a line each
  std::string screen_with_colours();                // the same with its escape sequences
  std::string ask(const std::string& format);       // of the pane: "#{cursor_flag}"
  std::string file(const std::string& name) const;  // what a script has put into directory()
  const std::string& directory() const { return folder_.path(); }

  // Whether it came to that within a minute; the last screen is told when it did not.
  bool shows(const std::string& text);
  bool comes_to(const std::function<bool(const std::string& screen)>& is);

 private:
  std::string run(std::vector<std::string> arguments);

  int columns_;
  int rows_;
  rlctl::test::Folder folder_;
};
