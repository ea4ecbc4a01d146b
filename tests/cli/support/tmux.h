// A real terminal for tests: a private tmux server with one pane, which can be typed into, read and
// resized. Owns the server and a directory beside its socket; both are removed with it. Throws
// std::runtime_error if tmux can't be run. Each wait lasts up to a minute.
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

  // Runs a shell script in the pane, which stays open when the script has ended.
  void start(const std::string& script);

  // Keys as tmux names them: {"C-c"}, {"Down", "Enter"}, {"-l", "text"}.
  void type(std::vector<std::string> keys);
  void resize(int columns, int rows);

  std::string screen();                             // text, one line per row
  std::string screen_with_colours();                // the same with its escape sequences
  std::string ask(const std::string& format);       // of the pane: "#{cursor_flag}"
  std::string file(const std::string& name) const;  // a file that a script wrote to directory()
  const std::string& directory() const { return folder_.path(); }

  // Whether the condition became true within a minute. If not, the last screen is reported.
  bool shows(const std::string& text);
  bool comes_to(const std::function<bool(const std::string& screen)>& is);

 private:
  std::string run(std::vector<std::string> arguments);

  int columns_;
  int rows_;
  rlctl::test::Folder folder_;
};
