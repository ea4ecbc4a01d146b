// Until when a request without an answer may have been decided.
//
// Without a bound, one time-out would explain every later denial of its key.
// - Redis decides on one thread, in the order in which requests reach it. Once it has answered two
//   requests that were sent later, on any connection, it has decided the lost one or never will:
//   the second of them was read in a later turn of its loop.
// - Of other services that is not known. The assumption is: when we stopped waiting for it, it was
//   decided no later than the longest answer of the run took. It is printed with the verdict.
// `--max-inflight` replaces both. Only of logs that rlctl wrote itself. Pure; times are µs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "log/record.h"

namespace rlctl {

// Later than everything: the end of an operation that may still be in progress.
inline constexpr std::int64_t kOpenEnd = std::int64_t{1} << 61;

class UnansweredBounds {
 public:
  UnansweredBounds() = default;
  explicit UnansweredBounds(const Log& log);

  // By our clock; kOpenEnd if there is no bound.
  std::int64_t until_us(std::uint32_t record) const;
  // How long after the end of waiting one may have been decided; 0: nothing was assumed.
  std::int64_t assumed_us() const { return assumed_us_; }

  // Of a log whose keys are judged elsewhere.
  static UnansweredBounds only_assumed(std::int64_t assumed_us);

 private:
  friend class UnansweredSearch;
  struct Bound {
    std::uint32_t record;
    std::int64_t until_us;
  };
  std::vector<Bound> bounds_;  // by record
  std::int64_t assumed_us_ = 0;
};

// First all records are asked for lost requests, then all for answers, in any order. Refers to the
// head of the log.
class UnansweredSearch {
 public:
  explicit UnansweredSearch(const Log& head) : head_(head) {}

  void add_if_lost(const Record& record, std::uint32_t number);
  void end_of_lost();
  void add_if_answer(const Record& record, std::uint32_t number);
  UnansweredBounds bounds() const;

 private:
  // The two earliest answers to requests that were sent later.
  class LaterAnswers {
   public:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    void add(std::int64_t received_us);
    void add(const LaterAnswers& other);
    std::int64_t second_us() const { return earliest_[1]; }

   private:
    std::array<std::int64_t, 2> earliest_{kNever, kNever};
  };
  struct Lost {
    std::uint32_t record = 0;
    std::int64_t sent_us = 0;
    std::int64_t received_us = kNoTime;
    LaterAnswers later;  // than this one, and not than the one before it in the list
  };

  const Log& head_;
  std::vector<Lost> lost_;  // the latest first
  std::int64_t longest_us_ = 0;
};

}  // namespace rlctl
