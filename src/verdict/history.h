// The operations of one key as time intervals on one clock: the input of every judge.
//
// Intervals are closed. The reply to A may be read in the microsecond in which B is sent. Then it
// is unknown which of them was decided first; an open end would claim an order that nobody
// observed. Example: A = [0, 5] allowed, B = [5, 9] denied at a limit of 1. With closed ends both
// may have been decided at 5, so the denial is explained; [0, 5) would make it a false denial.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "log/record.h"
#include "verdict/algorithm/unanswered.h"
#include "verdict/figures.h"

namespace rlctl {

// Decided at some instant in [low_us, high_us]. A cost of c is c admissions at one instant.
struct Placement {
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t cost = 1;
  std::uint32_t record = 0;  // index into Log::records

  bool exact() const { return low_us == high_us; }
};

// The end of an admission's work. With a finish, in [from_us, to_us] and after the decision.
// Without one, the work ends with the answer.
struct End {
  std::int64_t from_us = 0;
  std::int64_t to_us = kOpenEnd;  // kOpenEnd: the holder vanished, or its finish got no reply
  std::int64_t cost = 1;          // units that are held, whatever is used in the end
};

// Each sorted by low_us, then by record.
struct History {
  std::vector<Placement> admitted;
  std::vector<Placement> unknown;  // admitted at some instant in the interval, or never
  std::vector<Placement> denied;
  std::vector<End> ends;              // one per admission; empty until add_ends()
  std::int64_t held_at_least_us = 0;  // of work that ends with its answer
  // `admitted`, if actual costs are known: with what may have been reserved until then, if that was
  // more. A limiter knows no more, so a denial is judged by it.
  std::vector<Placement> reserved;
  std::int64_t failed = 0;
  std::int64_t from_us = 0;  // the log does not have what happened before

  bool exact() const;  // the exact time of every decision is known; no outcome is unknown
};

// How records become intervals.
struct Frame {
  bool stamps = false;          // use server_us where a record has it
  std::int64_t offset_low = 0;  // added to our times to convert them to the limiter's clock
  std::int64_t offset_high = 0;
  std::int64_t slow_before_us = 0;  // how much earlier a record without a duration was decided
  std::int64_t slow_after_us = 0;   // and how much later
  std::optional<std::int64_t> max_inflight_us;
  const UnansweredBounds* unanswered = nullptr;  // without max_inflight_us

  std::int64_t low_offset(const Record& record) const {
    return record.lacks_duration ? offset_low - slow_before_us : offset_low;
  }
  std::int64_t high_offset(const Record& record) const {
    return record.lacks_duration ? offset_high + slow_after_us : offset_high;
  }
  std::int64_t highest_offset() const { return offset_high + slow_after_us; }
};

// The interval of one operation (not of a failed one). Throws Error(Exit::usage) if it has no time.
Placement place(const Record& record, std::uint32_t index, const Frame& frame);

// How the work of admissions ends. Work that ends with its answer took `held_at_least_us`, which
// narrows its decisions and ends; its place may be given back `tolerance_us` after the answer came.
struct WorkEnds {
  bool by_finish = false;  // Log::has_finishes
  std::int64_t held_at_least_us = 0;
  std::int64_t tolerance_us = 0;
};

// Makes the history of one key of its records, which may come in any order. The caller sets
// `from_us`.
class KeyHistoryBuilder {
 public:
  // `ends`: to set History::ends, too.
  explicit KeyHistoryBuilder(std::optional<WorkEnds> ends = std::nullopt) : ends_(ends) {}

  // So many will come: a list that grows takes up to three times its size, and one key may have
  // half of a long log.
  void expect(std::size_t admitted, std::size_t denied);
  // Throws Error(Exit::usage) if it has no time, or if its answer came sooner than its work ends.
  void add(const Record& record, std::uint32_t number, const Finish& finish, const Frame& frame);
  History take();

 private:
  void admit(Placement p, const Record& record, const Finish& finish, const Frame& frame);
  void sort_admitted();

  std::optional<WorkEnds> ends_;
  bool has_actual_costs_ = false;
  History history_;
};

// The history of the records at `indexes`, all of one key. The caller sets `from_us`.
History make_history(const Log& log, std::span<const std::uint32_t> indexes, const Frame& frame,
                     const std::optional<WorkEnds>& ends = std::nullopt);

// For curves over all keys:

// One history for each key that has admissions or unknowns, in the order of Log::keys. Denials are
// left out.
std::vector<History> admissions_by_key(const Log& log, const JudgeOptions& options);

// The frame in which they are placed. It uses the limiter's stamps if they are usable.
Frame frame_of_curves(const Log& log, const JudgeOptions& options);

// The longest time from the first to the last admission of one key; 0 without admissions.
std::int64_t longest_span_us(std::span<const History> histories);

}  // namespace rlctl
