// Tactics: short schedules of requests whose answers differ between hypotheses. Which one is played
// next is decided by models: each hypothesis is asked what it would answer, and the tactic that
// separates most of them soonest is chosen. Pure; times are µs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "log/record.h"
#include "probe/hypothesis.h"

namespace rlctl {

// Up to `most` requests, one after another.
struct Move {
  std::int64_t at_us =
      0;  // after the beginning of the tactic, or when the move before it has ended
  std::int64_t most = 1;
  bool until_denied = false;  // ends with its second denial in a row
  bool poll = false;          // left out once one of the tactic's polls was admitted
  std::int64_t gap_us = 0;    // at least, from one of its requests to the next
};

struct Tactic {
  std::string name;  // for the progress line and the report
  std::vector<Move> moves;
};

// Plays a tactic: says when the next request is due, and is told the answer.
class TacticPlay {
 public:
  TacticPlay(const Tactic& tactic, std::int64_t begin_us) : tactic_(tactic), begin_us_(begin_us) {}

  // Empty: it is over. Not before `now_us`.
  std::optional<std::int64_t> next_us(std::int64_t now_us);
  void note(bool admitted, std::int64_t sent_us);
  // How many each move has had admitted.
  const std::vector<std::int64_t>& admitted() const { return admitted_; }

 private:
  void go_on();

  Tactic tactic_;
  std::int64_t begin_us_;
  std::size_t move_ = 0;
  std::int64_t sent_ = 0;  // of this move
  std::int64_t last_us_ = 0;
  std::int64_t denied_in_a_row_ = 0;
  bool poll_was_admitted_ = false;
  std::vector<std::int64_t> admitted_{0};
};

// What the examination knows when it chooses.
struct Situation {
  std::span<const Hypothesis> open;
  std::span<const Record> answers;
  std::int64_t now_us = 0;
  std::int64_t round_trip_us = 1'000;
  std::int64_t requests_left = 0;
  std::int64_t longest_us = 0;           // for one tactic
  std::span<const std::string> spent{};  // tactics that shall not be played again
};

// A tactic, and what it costs at most.
struct Separation {
  Tactic tactic;
  std::int64_t requests = 0;
  std::int64_t lasts_us = 0;
};

// Fills the limiter and polls where its time may end, so that the range of times becomes narrow.
Tactic narrowing(const Hypothesis& hypothesis, const Situation& situation);
// All that the hypothesis admits, for some of its times, and a flood after a rest; empty if there
// are not so many requests left, or no time.
Tactic lasting(const Hypothesis& hypothesis, const Situation& situation);
// The tactic that separates most pairs of the open hypotheses for its price in requests and time;
// empty: none that is known separates any.
std::optional<Separation> separating(const Situation& situation);

}  // namespace rlctl
