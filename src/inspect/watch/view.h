// WatchView: which limiters are on the screen, and what each key does: order, filter, selection,
// scrolling, the confirmation of a reset. Pure; never fails; one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "inspect/watch/status.h"
#include "inspect/watch/terminal_key.h"

namespace rlctl {

enum class WatchSort : std::uint8_t { use, allowed, denied, blocked, name };
inline constexpr Word<WatchSort> kWatchSortWords[] = {{"use", WatchSort::use},
                                                      {"allowed/s", WatchSort::allowed},
                                                      {"denied/s", WatchSort::denied},
                                                      {"blocked", WatchSort::blocked},
                                                      {"name", WatchSort::name}};
constexpr std::span<const Word<WatchSort>> words_of(WatchSort) { return kWatchSortWords; }
inline constexpr int kWatchSorts = 5;

enum class WatchMode : std::uint8_t { table, filter, inspect, confirm_reset, help };

// A request that the view cannot do itself; `subject` names the limiter.
enum class WatchWish : std::uint8_t { nothing, quit, inspect, reset, redraw };

class WatchView {
 public:
  // The rows to show, filtered and sorted. `now_us`: the server's time, which decides whether a
  // block has ended.
  std::vector<LimiterRow> arrange(std::vector<LimiterRow> rows, std::int64_t now_us) const;

  // `shown`: the last result of arrange(); `page`: the number of rows on the screen.
  WatchWish press(const TerminalKey& key, const std::vector<LimiterRow>& shown, std::size_t page);

  // Keeps the selection on its limiter. If the limiter is gone, keeps the row number.
  void follow(const std::vector<LimiterRow>& shown, std::size_t page);

  WatchSort sort = WatchSort::use;
  bool reversed = false;
  std::string filter;  // part of a name as displayed; case is ignored
  bool paused = false;
  WatchMode mode = WatchMode::table;
  std::size_t selected = 0;      // index into the arranged rows
  std::string selected_name;     // the selected limiter: raw bytes
  std::size_t first = 0;         // the row at the top
  std::size_t detail_first = 0;  // the line at the top of inspect and help
  std::string subject;           // the limiter of inspect and confirm_reset: raw bytes

 private:
  WatchWish press_in_table(const TerminalKey& key, const std::vector<LimiterRow>& shown,
                           std::size_t page);
  WatchWish press_letter(char letter, const std::vector<LimiterRow>& shown);
  void press_in_filter(const TerminalKey& key);
  WatchWish press_in_confirmation(const TerminalKey& key);
  WatchWish press_in_detail(const TerminalKey& key, std::size_t page);
  void order_by(WatchSort wanted);
  void select(std::size_t index, const std::vector<LimiterRow>& shown, std::size_t page);
};

}  // namespace rlctl
