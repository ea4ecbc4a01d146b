#include "inspect/watch/text.h"

#include <algorithm>

#include "base/escape.h"
#include "base/table.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "inspect/watch/words.h"

namespace rlctl {

std::string watch_text(const std::vector<WatchRow>& rows, const WatchStatus& status,
                       std::size_t most) {
  const auto count = [&](auto is) { return std::ranges::count_if(rows, is); };
  const std::int64_t blocked =
      count([&](const WatchRow& row) { return row.is_blocked_at(status.now_us); });
  std::string text = format_instant(status.now_us).substr(0, 19) + " UTC: " +
                     counts_in_words(status.limiters, blocked, count(&WatchRow::is_full)) + "; " +
                     load_in_words(status) + "\n";
  if (!status.trouble.empty()) text += status.trouble + "\n";
  Table table({{"limiter"},
               {"used", Align::right},
               {"allow/s", Align::right},
               {"deny/s", Align::right},
               {"state"}});
  for (const WatchRow& row : rows) {
    if (most-- == 0) break;
    table.add_row({escape_for_terminal(row.name), used_in_words(row),
                   rate_in_words(row.allowed_per_s), rate_in_words(row.denied_per_s),
                   state_in_words(row, status.now_us).text});
  }
  return table.empty() ? text : text + table.text();
}

}  // namespace rlctl
