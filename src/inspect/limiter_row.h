// LimiterRow: what one row of `list` and `watch` knows of a limiter, and how each cell of it reads.
// Plain values; names are raw bytes, cells are escaped. Times are µs since 1970 by the server's
// clock. Pure; never fails.
#pragma once

#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "inspect/block_flag.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"

namespace rlctl {

// The most urgent last.
enum class RowState : std::uint8_t { fine, unreadable, stuck, full, blocked };
inline constexpr Word<RowState> kRowStateWords[] = {{"free", RowState::fine},
                                                    {"unreadable", RowState::unreadable},
                                                    {"stuck", RowState::stuck},
                                                    {"full", RowState::full},
                                                    {"blocked", RowState::blocked}};
constexpr std::span<const Word<RowState>> words_of(RowState) { return kRowStateWords; }

struct LimiterRow {
  std::string name;  // of the limiter, or of its key if there is only one
  int keys = 0;      // that were read, without the flag
  Shape shape = Shape::none;
  std::optional<double> used;        // the maximum of its keys: admissions, entries, a number
  std::optional<double> left;        // as its library counts it
  std::vector<std::string> layouts;  // of libraries that write such keys
  std::string client;                // by the name of the key; empty: not known
  std::string client_may_be;         // as in LayoutReading
  bool guess = false;                // `used` counts requests, perhaps
  bool rule_in_doubt = false;        // as in KeyReading: `limit` is a guess
  std::string value;                 // what the key holds, if `used` is not known: raw
  std::optional<double> limit;       // empty: no policy was given
  std::optional<double>
      allowed_per_s;  // empty: not measured, or not shown; as much a guess as used
  std::optional<double> denied_per_s;
  std::optional<std::int64_t> frees_at_us;  // when one more request is admitted, or the window ends
  std::int64_t ttl_ms = kNoKey;             // the longest; kNoExpiry: at least one never expires
  bool expiry_unknown = false;              // of one of its keys
  bool never_reset = false;                 // a key that counts, if `guess` is right, has no expiry
  FieldsSay fields_say = FieldsSay::nothing;  // as in KeyReading
  BlockFlag block;
  std::string problem;  // why one of its keys can't be read

  // Else its keys are the data of something else.
  bool is_limiter() const { return keys > 0 || block.is_set || !problem.empty(); }
  // What has the name of a flag alone may be anything: a field "blocked" of a user's record.
  bool is_flag_in_doubt() const {
    return block.is_set && block.may_be_other && (keys == 0 || block.may_not_block);
  }
  bool is_perhaps_blocked() const {
    return is_flag_in_doubt() || (!block.is_set && fields_say == FieldsSay::blocked);
  }
  bool is_blocked_for_ever() const { return block.is_for_ever() && !is_flag_in_doubt(); }
  bool is_stuck() const { return never_reset || block.is_for_ever(); }
  bool is_stuck_for_certain() const { return is_blocked_for_ever() || (never_reset && !guess); }
  // Of one more of its keys.
  void add_expiry(std::int64_t key_ttl_ms, bool is_hidden);
  bool may_be_stuck_unseen() const {
    return expiry_unknown || block.end_unknown || !problem.empty();
  }
  // It may count requests, but nobody says so, nor gives a limit with which to compare it.
  bool is_unknown_number() const { return guess && used && !limit; }
  bool is_blocked_at(std::int64_t now_us) const {
    return block.is_set && !is_flag_in_doubt() && (!block.left_us || block.ends_us > now_us);
  }
  // One more request is denied: a bucket that leaks is full before it is used up to its limit.
  // Without a limit, what is left is what was left at the last request: it may have been refilled.
  bool is_full() const {
    return fields_say == FieldsSay::full ||
           (limit && (left ? *left < 1 : used && *limit - *used < 1));
  }
  bool is_full_for_certain() const {
    return is_full() && fields_say != FieldsSay::full && !rule_in_doubt;
  }
  RowState state_at(std::int64_t now_us) const;
  // Whether the client is denied now, as far as the keys tell, under the limit of the user.
  bool denies_at(std::int64_t now_us) const {
    return is_blocked_at(now_us) || is_full_for_certain();
  }
  // Whether it is by what may be no flag, by names of fields alone, or under a rule that may be
  // another one's.
  bool perhaps_denies() const {
    return is_perhaps_blocked() || fields_say == FieldsSay::full || (rule_in_doubt && is_full());
  }
};

// The order of limiters: those that deny come first, then those that perhaps do, then by use. The
// greatest first.
struct Urgency {
  enum class Rank : std::uint8_t { none, perhaps_denies, full, blocked };
  Rank rank = Rank::none;
  double used = -1;
  auto operator<=>(const Urgency&) const = default;
};
Urgency urgency_of(const LimiterRow& row, std::int64_t now_us);

// Of two keys of one limiter: full for certain, then perhaps, then nearer to its own limit. Without
// limits, the more used.
bool is_nearer_full(const LimiterRow& one, const LimiterRow& other);

// How many limiters there are, and how many of them are in some state. A state that is a guess is
// counted apart.
struct RowCounts {
  std::int64_t limiters = 0;
  std::int64_t unreadable = 0;  // of these: perhaps none is a limiter
  std::int64_t blocked = 0;
  std::int64_t perhaps_blocked = 0;
  std::int64_t full = 0;
  std::int64_t perhaps_full = 0;

  void add(const LimiterRow& row, std::int64_t now_us);
};
RowCounts count_rows(std::span<const LimiterRow> rows, std::int64_t now_us);

// "1,204 limiters, 3 blocked, 1 blocked?, 7 full, 2 full?".
std::string in_words(const RowCounts& counts);

// The name of a limiter or a key, escaped; an empty one as ''.
std::string name_cell(std::string_view name);

// "3,400", "7.5" (of a bucket), "1e+23" (more digits than a count has): a use or a limit.
std::string format_use(double number);

// "18/20", "3,400", "18?/20" (a guess, under a limit that the user told), "= 40" (a value whose
// meaning is not known), "-".
std::string used_cell(const LimiterRow& row);

// "3.0", "412", "12.5k", "42?" (a guess), "-".
std::string rate_cell(std::optional<double> per_second, bool guess);

// "blocked 42s", "full 3s" (until one more is admitted), "full? 3s" (a guess), "STUCK: no expiry",
// "no expiry" (of a number that may be anything), "blocked?" (a flag that may be anything); empty
// if there is nothing to report.
std::string state_cell(const LimiterRow& row, std::int64_t now_us);

// The state in JSON: "free", "stuck", "stuck?" (a guess).
std::string state_in_json(const LimiterRow& row, std::int64_t now_us);

// What "?" and "=" mean, as far as a row has them; in one line.
std::string notes_on(std::span<const LimiterRow> rows);

// "20 of 38 limiters shown, blocked and most used first; --most 38 shows more"; empty if all are.
std::string cut_note(std::size_t shown, std::size_t total,
                     std::string_view order = "blocked and most used");

// A guess has a name that says so, `used_if_it_counts`; under its own name the number is not known.
void put_number(nlohmann::ordered_json& json, const std::string& name, std::optional<double> number,
                bool guess);

// The same object in every verb.
nlohmann::ordered_json to_json(const LimiterRow& row, std::int64_t now_us);

struct RowColumn {
  const char* header;
  Align align;
  std::string (*cell)(const LimiterRow& row, std::int64_t now_us);
  std::size_t least = 0;  // as in a Column
};

// The columns that a table of limiters can have.
extern const RowColumn kNameColumn;
extern const RowColumn kKindColumn;  // "log"; "redisson", "redisson?" (a guess); "flag only"
extern const RowColumn kUsedColumn;
extern const RowColumn kExpiryColumn;
extern const RowColumn kAllowedColumn;
extern const RowColumn kDeniedColumn;
extern const RowColumn kStateColumn;

// At most `width` columns of characters wide; 0: no bound, but for each name. Long names are cut in
// their middle. Empty if there are no rows.
std::string limiter_table(std::span<const LimiterRow> rows, const std::vector<RowColumn>& columns,
                          std::int64_t now_us, std::size_t width = 0);

}  // namespace rlctl
