// A hypothesis about a limiter that nobody has described: a kind of limiter, its limit, and the
// range of times that the answers so far leave open. Every hypothesis that has not been refuted is
// as good as the others. Plain values; times are µs.
//
// The room probe: what an unknown limiter is, worked out from its answers.
// - It includes log, policy and base. It is pure: examination.h says when to send the next request,
//   and is told the answer; whoever sends it is in run.
// - It must not know HTTP or Redis.
//
// Begin with this file. Then: model.h (what a limiter of a hypothesis would answer), refutation.h
// (the first answer that it cannot give), fit.h (what the answers leave open), tactic.h (requests
// that tell hypotheses apart), examination.h (the whole course).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/words.h"
#include "policy/rule.h"

namespace rlctl {

enum class LimiterKind : std::uint8_t {
  sliding,
  sliding_denied,
  first_hit,
  fixed,
  counter,
  counter_denied,
  hit_counter,
  hit_counter_denied,
  bucket,
  penalty,
};

struct LimiterKindRow {
  const char* name;
  LimiterKind meaning;
  const char* sentence;
  bool aligned = false;  // its windows begin at edges of a clock
  bool counts_denied = false;
  bool is_counter = false;           // two windows, the older one weighted
  bool begins_with_request = false;  // its windows, or its penalty
  // What another rule denies changes nothing of it, so it can be examined beside one.
  bool stands_beside = true;
};
inline constexpr LimiterKindRow kLimiterKinds[] = {
    {.name = "sliding window",
     .meaning = LimiterKind::sliding,
     .sentence = "no window holds more, wherever it begins"},
    {.name = "sliding window, denied count",
     .meaning = LimiterKind::sliding_denied,
     .sentence = "denied requests count too: a client that goes on stays denied",
     .counts_denied = true,
     .stands_beside = false},
    {.name = "first-hit window",
     .meaning = LimiterKind::first_hit,
     .sentence = "the first request opens a window of its own",
     .begins_with_request = true},
    {.name = "fixed window",
     .meaning = LimiterKind::fixed,
     .sentence = "the count begins again at each edge of a clock",
     .aligned = true},
    {.name = "approximate counter",
     .meaning = LimiterKind::counter,
     .sentence = "two windows of the clock, the older one weighted by its share",
     .aligned = true,
     .is_counter = true},
    {.name = "approximate counter, denied count",
     .meaning = LimiterKind::counter_denied,
     .sentence = "two windows of the clock, and denied requests count too",
     .aligned = true,
     .counts_denied = true,
     .is_counter = true,
     .stands_beside = false},
    {.name = "approximate counter from the first hit",
     .meaning = LimiterKind::hit_counter,
     .sentence = "two windows from the first request, the older one weighted by its share",
     .is_counter = true,
     .begins_with_request = true},
    {.name = "approximate counter from the first hit, denied count",
     .meaning = LimiterKind::hit_counter_denied,
     .sentence = "two windows from the first request, and denied requests count too",
     .counts_denied = true,
     .is_counter = true,
     .begins_with_request = true,
     .stands_beside = false},
    {.name = "bucket",
     .meaning = LimiterKind::bucket,
     .sentence = "a burst, then one for each refill (GCRA is the same)"},
    {.name = "penalty",
     .meaning = LimiterKind::penalty,
     .sentence = "after a denial everything is denied for a while",
     .begins_with_request = true,
     .stands_beside = false},
};
constexpr std::span<const LimiterKindRow> words_of(LimiterKind) { return kLimiterKinds; }

struct Hypothesis {
  LimiterKind kind = LimiterKind::sliding;
  // The range of limits that agrees with all answers; of a bucket: its capacity. 0: none does.
  std::int64_t limit = 0;
  std::int64_t limit_high = 0;
  // The window; of a bucket: the refill of one; of a penalty: its length. Every time that agrees
  // with all answers is in this range.
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t edge_us = 0;  // of aligned kinds: one edge of the clock, and where else it may be
  std::int64_t edge_low_us = 0;
  std::int64_t edge_high_us = 0;
  bool rounds_down = false;  // of counters: the share of the older window is a whole number
  std::string refuted_by{};  // what spoke against it; empty: nothing has
  // With a limit of 1 several kinds admit a request when the time since the last one is over, so
  // they are one limiter: the name of the first of them; empty: it is that one, or differs.
  std::string same_as{};
  // A second rule, which denies sooner; null: this rule is alone. It has none beside it itself.
  std::shared_ptr<const Hypothesis> beside{};

  const LimiterKindRow& row() const { return row_of(kind); }
  bool is_counter() const { return row().is_counter; }
  bool is_open() const { return refuted_by.empty() && same_as.empty(); }
  // Of a penalty it is only known that its window is no longer than the penalty.
  bool has_known_window() const { return kind != LimiterKind::penalty; }
  // Otherwise its times or its limits range so widely that a policy would be a guess.
  bool has_policy() const {
    return has_known_window() && high_us / 2 <= low_us && has_known_limit();
  }
  // Of aligned kinds: its windows may begin with those of this machine's clock.
  bool begins_with_clock() const;
  bool is_refuted() const { return !refuted_by.empty(); }
  // The roundest time of the range: people choose 1 minute, not 59.8 s.
  std::int64_t time_us() const;
  // The ends of its range, and that time.
  std::array<std::int64_t, 3> times_us() const { return {low_us, time_us(), high_us}; }
  // As long as it remembers anything.
  std::int64_t memory_us() const;
  // From full use to none.
  std::int64_t filled_us() const;
  // The ranges are within 3 %, or 2 % on either side of what is told: a clock that may be late
  // leaves 2 %, answers that take a while leave more.
  bool is_narrow() const;
  // The limits are one, or within 2 %.
  bool has_known_limit() const;
  // For people: its kind; of two rules: both.
  std::string name() const;
};

// The rules of the roundest numbers that fit. Of an approximate counter: what it stands for.
Rules rules_of(const Hypothesis& hypothesis);

// Fills in same_as.
void join_equal(std::vector<Hypothesis>& hypotheses);

// A usual time in the range (1 s, 15 min); if there is none, the number of ms, s, min, h or days
// with the fewest digits, the nearest one to the middle.
std::int64_t roundest_time(std::int64_t low_us, std::int64_t high_us);

}  // namespace rlctl
