// WatchView: what of the limiters is on the screen, and what a key does to it: order, filter,
// selection, scrolling, the question before a reset. Pure; fails never; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "inspect/watch/row.h"
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

// What a key asks for that the view can't do itself; `name` says of which limiter.
enum class WatchWish : std::uint8_t { nothing, quit, inspect, reset, redraw };

class WatchView {
 public:
  // The rows to show, in their order: filtered and sorted. Where the server's time matters (is a
  // block over?) it is `now_us`.
  std::vector<WatchRow> arrange(std::vector<WatchRow> rows, std::int64_t now_us) const;

  // `shown`: what arrange() gave last; `page`: how many rows the screen holds.
  WatchWish press(const TerminalKey& key, const std::vector<WatchRow>& shown, std::size_t page);

  // Keeps the selection on its limiter, or where that has gone, at its place.
  void follow(const std::vector<WatchRow>& shown, std::size_t page);

  WatchSort sort = WatchSort::use;
  bool reversed = false;
  std::string filter;  // part of a name as it is shown, in any case
  bool paused = false;
  WatchMode mode = WatchMode::table;
  std::size_t selected = 0;      // of the arranged rows
  std::string selected_name;     // the limiter there: raw
  std::size_t first = 0;         // the row at the top
  std::size_t detail_first = 0;  // the line at the top of inspect and help
  std::string subject;           // of inspect and confirm_reset: raw

 private:
  WatchWish press_in_table(const TerminalKey& key, const std::vector<WatchRow>& shown,
                           std::size_t page);
  WatchWish press_letter(char letter, const std::vector<WatchRow>& shown);
  void press_in_filter(const TerminalKey& key);
  WatchWish press_in_confirmation(const TerminalKey& key);
  WatchWish press_in_detail(const TerminalKey& key, std::size_t page);
  void order_by(WatchSort wanted);
  void select(std::size_t index, const std::vector<WatchRow>& shown, std::size_t page);
};

}  // namespace rlctl
