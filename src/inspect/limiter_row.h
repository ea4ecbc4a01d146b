// LimiterRow: what one row of `list` and `watch` knows of a limiter, and how each cell of it reads.
// Plain values; names are raw bytes, cells are escaped. Times are µs since 1970 by the server's
// clock. Pure; never fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table.h"
#include "inspect/block_flag.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"

namespace rlctl {

enum class RowState : std::uint8_t { fine, full, stuck, blocked, unreadable };

struct LimiterRow {
  std::string name;  // of the limiter, or of its key if there is only one
  int keys = 0;      // without the flag
  Shape shape = Shape::none;
  std::optional<double> used;           // the maximum of its keys: admissions, entries, a counter
  std::optional<double> limit;          // empty: no policy was given
  std::optional<double> allowed_per_s;  // empty: not measured, or the state does not show it
  std::optional<double> denied_per_s;
  std::optional<std::int64_t> frees_at_us;  // when one more request is admitted, or the window ends
  std::int64_t ttl_ms = kNoKey;             // the longest; kNoExpiry: at least one never expires
  BlockFlag block;
  std::string problem;  // why one of its keys can't be read

  bool is_stuck() const { return ttl_ms == kNoExpiry || (block.is_set && !block.left_us); }
  bool is_blocked_at(std::int64_t now_us) const {
    return block.is_set && (!block.left_us || block.ends_us > now_us);
  }
  bool is_full() const { return used && limit && *used >= *limit; }
  RowState state_at(std::int64_t now_us) const;
};

// No expiry is the longest.
std::int64_t longer_ttl_ms(std::int64_t a, std::int64_t b);

// "18/20", "3,400", "-".
std::string used_cell(const LimiterRow& row);

// "3.0", "412", "12.5k", "-".
std::string rate_cell(std::optional<double> per_second);

// "blocked 42s", "full 3s" (until one more is admitted), "STUCK: no expiry"; empty if there is
// nothing to report.
std::string state_cell(const LimiterRow& row, std::int64_t now_us);

struct RowColumn {
  const char* header;
  Align align;
  std::string (*cell)(const LimiterRow& row, std::int64_t now_us);
};

// The columns that a table of limiters can have.
extern const RowColumn kNameColumn;
extern const RowColumn kKindColumn;  // "log"; "flag only": the limiter has only a block flag
extern const RowColumn kUsedColumn;
extern const RowColumn kExpiryColumn;
extern const RowColumn kAllowedColumn;
extern const RowColumn kDeniedColumn;
extern const RowColumn kStateColumn;

// At most `width` columns of characters wide (0: no bound). Empty if there are no rows.
std::string limiter_table(std::span<const LimiterRow> rows, const std::vector<RowColumn>& columns,
                          std::int64_t now_us, std::size_t width = 0);

}  // namespace rlctl
