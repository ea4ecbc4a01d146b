// The words and figures of the live view, shared by its screen, its plain text and its tests: how
// much is used, how fast it goes, what state a limiter is in. Pure; names come out escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/watch_row.h"
#include "report/screen_line.h"

namespace rlctl {

// "18/20", "3,400", "-".
std::string used_in_words(const WatchRow& row);

// "3.0", "412", "12.5k", "-".
std::string rate_in_words(std::optional<double> per_second);

struct StateWords {
  std::string text;
  Look look = Look::normal;
};
// "blocked 42s", "full 3s" (until one more is admitted), "STUCK: no expiry"; empty: nothing to
// tell.
StateWords state_in_words(const WatchRow& row, std::int64_t now_us);

// "1,204 limiters, 3 blocked, 7 full".
std::string counts_in_words(std::int64_t limiters, std::int64_t blocked, std::int64_t full);

// "0.4 % of 1 %": what sampling takes of the server's time, of what it may take.
std::string load_in_words(const WatchStatus& status);

// What all of these names begin with, up to a colon: raw.
std::string common_front(const std::vector<WatchRow>& rows);

// The escaped name in at most `width` columns: its middle gives way, since keys begin alike and
// differ at the end. Where that is not enough room, what `front` says goes first.
std::string short_name(const std::string& name, std::size_t width, const std::string& front = {});

}  // namespace rlctl
