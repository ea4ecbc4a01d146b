// One rule about the admissions of a key, and the table of the kinds of rules: a row has a kind's
// word, how it is written, the members that it takes, and its sentences. Readers, JSON, the
// schema's test and all texts read it; verdict/rule_judges.h adds the judge and the bound of each
// kind.
//
// A policy (what is wanted) and a contract (what a limiter promises) are both Rules: all of them
// hold. An empty list promises nothing. Plain values; times are µs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"

namespace rlctl {

// Above it, Lua's numbers are not exact.
inline constexpr std::int64_t kMostCapacity = std::int64_t{1} << 53;

// Redis stores expiry times in whole ms.
inline constexpr std::int64_t kShortestWindowUs = 1'000;

// How admissions are counted (README, "How decisions are judged").
enum class RuleKind : std::uint8_t { sliding, fixed, first_hit, bucket, in_flight };

struct RuleRow {
  const char* name;
  RuleKind meaning;
  const char* grammar;  // an example, for help and messages
  // How it is told in the grammar: after the window, before the capacity if it takes one, or after
  // the limit if there is no window.
  const char* word = "";
  // The members that it takes beside `limit`.
  bool takes_window = true;
  bool takes_phase = false;     // where windows start; empty: unknown
  bool takes_capacity = false;  // `limit` per `window_us` is then the rate of the refill
  bool takes_lease = false;     // how long a holder that vanished may hold; 0: unknown
  // How it counts.
  bool any_window = false;        // no window holds more, wherever it begins
  bool counts_from_0 = false;     // the stored count begins again at 0 when a window ends
  bool limit_is_proof = false;    // more than `limit` in the worst window are too many
  const char* span = "{window}";  // the time in which admissions are counted
  // The sentences; {limit}, {window} and {capacity} are filled in.
  const char* rate = "{limit} per {window}";
  const char* summary;
  const char* promise = "at most {limit} in any {window}";
  const char* found = "{admissions} within {time}";  // in the worst window
  // The shipped limiter that keeps it, of those that `rlctl algos` lists.
  const char* algorithm;
};

inline constexpr RuleRow kRuleRows[] = {
    {.name = "sliding",
     .meaning = RuleKind::sliding,
     .grammar = "100/1m",
     .any_window = true,
     .limit_is_proof = true,
     .summary = "{limit} per {window} in any window",
     .algorithm = "sliding-list"},
    {.name = "fixed",
     .meaning = RuleKind::fixed,
     .grammar = "100/1m fixed",
     .word = "fixed",
     .takes_phase = true,
     .counts_from_0 = true,
     .limit_is_proof = true,
     .summary = "{limit} per {window} of the clock",
     .promise = "at most {limit} in each window of {window}",
     .algorithm = "fixed"},
    {.name = "first_hit",
     .meaning = RuleKind::first_hit,
     .grammar = "100/1m first-hit",
     .word = "first-hit",
     .counts_from_0 = true,
     .summary = "{limit} per {window} from the first request",
     .promise = "at most {limit} in the {window} after a first request",
     .algorithm = "fixed-anchored"},
    {.name = "bucket",
     .meaning = RuleKind::bucket,
     .grammar = "bucket 20 + 10/1s",
     .word = "bucket",
     .takes_capacity = true,
     .span = "a span",
     .rate = "a bucket of {capacity} refilled at {limit} per {window}",
     .summary = "bucket of {capacity}, refilled {limit} per {window}",
     .promise = "at most {capacity} at once, refilled by {limit} per {window}",
     .algorithm = "token-bucket"},
    {.name = "in_flight",
     .meaning = RuleKind::in_flight,
     .grammar = "5 in flight",
     .word = "in flight",
     .takes_window = false,
     .takes_lease = true,
     .limit_is_proof = true,
     .span = "flight",
     .rate = "{limit} in flight",
     .summary = "{limit} in flight",
     .promise = "at most {limit} held at any instant",
     .found = "{found} held at once",
     .algorithm = "lease"}};
constexpr std::span<const RuleRow> words_of(RuleKind) { return kRuleRows; }

struct Rule {
  RuleKind kind = RuleKind::sliding;
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::optional<std::int64_t> phase_us = 0;  // fixed; empty: unknown
  std::int64_t capacity = 0;                 // bucket
  std::int64_t step_us = 0;                  // bucket: how often it is refilled; 0: evenly
  std::int64_t lease_us = 0;                 // in flight; 0: unknown
  bool counts_denied = false;                // denied attempts count too
  std::int64_t block_us = 0;  // after a denial, every request is denied for this long
  std::string per{};          // what it counts by (policy/per.h): "user", "ip/64"; empty: the key

  const RuleRow& row() const { return row_of(kind); }
  bool has_window() const { return row().takes_window; }
  bool has_known_phase() const { return row().takes_phase && phase_us.has_value(); }
  bool has_unknown_phase() const { return row().takes_phase && !phase_us.has_value(); }
  // Each step refills a whole number: the reader of a rule by steps has to check it.
  bool has_whole_steps() const {
    return row().takes_capacity && window_us > 0 && step_us > 0 &&
           limit <= kMostCapacity / step_us && limit * step_us % window_us == 0;
  }
  // Of a bucket by steps; never more than fits.
  std::int64_t refill_per_step() const { return std::min(capacity, limit * step_us / window_us); }
  std::int64_t most_at_once() const { return row().takes_capacity ? capacity : limit; }
  // A bucket admits what it holds, and what is refilled meanwhile.
  std::int64_t most_in_window() const {
    if (!row().takes_capacity) return limit;
    if (step_us == 0) return capacity + limit;
    return capacity + (window_us + step_us - 1) / step_us * refill_per_step();
  }

  bool operator==(const Rule&) const = default;
};

using Rules = std::vector<Rule>;

// The most that all rules admit at one instant.
std::int64_t most_at_once(const Rules& rules);
// The most that any of them admits in a window of its own; of a rule without windows, at one
// instant.
std::int64_t most_in_window(const Rules& rules);
// Whether any of them counts by windows, so that its traffic can be aimed at their edges.
bool any_window(const Rules& rules);
// Whether any of them counts what is held, so that the ends of requests matter.
bool any_in_flight(const Rules& rules);

// "100 per 1m in any window", "bucket of 20, refilled 10 per 1s, denied requests count". Of several
// rules: joined by "and".
std::string in_words(const Rule& rule);
std::string in_words(const Rules& rules);
// "at most 100 in any 1m".
std::string promise_in_words(const Rules& rules);
// "100 per 1m", "a bucket of 20 refilled at 100 per 1m".
std::string rate_in_words(const Rule& rule);
// "6 admissions within 20 ms", "1 admission within 1 ms", "6 held at once".
std::string found_in_words(const Rule& rule, std::int64_t found, std::int64_t time_us);
// "1m"; "a span" for a rule without windows.
std::string span_in_words(const Rule& rule);

}  // namespace rlctl
