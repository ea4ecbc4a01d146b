// WatchSession: the live view on a terminal, from its first frame until the user quits. It passes
// keys to the view, and draws frames from the feed on the terminal. Owns the feed and the
// terminal's mode; borrows the loop. Error(Exit::target) if the first connection to Redis fails.
// One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inspect/watch/feed.h"
#include "inspect/watch/frame.h"
#include "inspect/watch/screen_line.h"
#include "inspect/watch/terminal_key.h"
#include "inspect/watch/view.h"
#include "io/terminal.h"

namespace rlctl {

class WatchSession {
 public:
  WatchSession(Loop& loop, Deployment& redis, const WatchPlan& plan, ScreenStyle style);

  // False if a signal ended it.
  bool play();

 private:
  Task<> until_quit();
  void typed(std::string_view bytes);
  void press(const TerminalKey& key);
  void obey(WatchWish wish);
  void arrange();
  void draw();
  ScreenSize size() const;
  std::vector<std::string> shown_names() const;

  // Spawned; an error becomes a message on the screen.
  Task<> inspect_again_and_again();
  Task<> ask_before_reset(std::string name);
  Task<> reset(std::vector<std::string> keys);

  Loop& loop_;
  WatchFeed feed_;
  ScreenStyle style_;
  WatchScreen screen_;
  WatchView& view_ = screen_.view;
  ScreenUpdate update_;
  TerminalKeys keys_;
  std::vector<std::string> doomed_;  // the keys that the question is about
  std::int64_t typed_us_ = 0;
  std::int64_t message_us_ = 0;
  std::int64_t version_ = -1;
  std::int64_t drawn_second_ = -1;
  std::int64_t drawn_us_ = 0;
  bool changed_ = true;
  bool ended_ = false;
  std::unique_ptr<Terminal> terminal_;  // last, so that it is destroyed first
};

}  // namespace rlctl
