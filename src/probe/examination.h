// The course of an examination: fill the limiter, wait until it admits again, then play the tactics
// that tell the remaining hypotheses apart, until one is left or the budget is spent.
//
//   while (const auto at_us = examination.next_us(now_us())) examination.note(answer sent then);
//
// Pure: it reads no clock and sends nothing. Times are µs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "log/record.h"
#include "probe/fit.h"
#include "probe/tactic.h"

namespace rlctl {

struct ExaminationLimits {
  std::int64_t up_to = 1'000;  // requests without a denial: there is no limit so far
  std::int64_t requests = 0;   // of the whole examination; 0: 10 times the limit, at least 300
  std::int64_t longest_us = 15 * kMinuteUs;  // of the whole examination
};

enum class ExaminationEnd : std::uint8_t {
  found,               // one hypothesis is left, and its time is known within 2 %
  no_limit,            // nothing was denied
  delayed,             // nothing was denied, but each answer had to wait
  never_admitted,      // nothing but denials: they say nothing of a limit
  undecided,           // nothing was denied, but some answers decided nothing
  too_many_undecided,  // in one row of admissions, so that no limit follows from it
  several,  // no tactic that is known tells them apart, or something speaks against the last one
  unexplained,    // every kind is refuted
  out_of_budget,  // of requests
  out_of_time,
  lost,        // there were no more answers
  interrupted  // by the user
};

inline constexpr Word<ExaminationEnd> kExaminationEndWords[] = {
    {"found", ExaminationEnd::found},
    {"no_limit", ExaminationEnd::no_limit},
    {"delayed", ExaminationEnd::delayed},
    {"never_admitted", ExaminationEnd::never_admitted},
    {"undecided", ExaminationEnd::undecided},
    {"too_many_undecided", ExaminationEnd::too_many_undecided},
    {"several", ExaminationEnd::several},
    {"unexplained", ExaminationEnd::unexplained},
    {"out_of_budget", ExaminationEnd::out_of_budget},
    {"out_of_time", ExaminationEnd::out_of_time},
    {"lost", ExaminationEnd::lost},
    {"interrupted", ExaminationEnd::interrupted}};
constexpr std::span<const Word<ExaminationEnd>> words_of(ExaminationEnd) {
  return kExaminationEndWords;
}

class Examination {
 public:
  explicit Examination(const ExaminationLimits& limits) : limits_(limits) {}

  // When the next request is due, not before now_us; empty: it is over.
  std::optional<std::int64_t> next_us(std::int64_t now_us);
  // An answer that is neither allowed nor denied counts as a request, and decides nothing.
  void note(const Record& answer);
  // It ends, although more could be found. The last answers count too.
  void end_early(ExaminationEnd end);

  ExaminationEnd end() const { return end_; }
  const Log& log() const { return log_; }
  const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  std::vector<Hypothesis> open() const;
  // What is being done, for a progress line.
  const std::string& doing() const { return tactic_.name; }
  // Everything that was done, in order.
  const std::vector<std::string>& done() const { return done_; }
  std::ptrdiff_t times_played(const std::string& tactic) const;
  std::int64_t requests_left() const;
  // So many answers agree with every hypothesis that is open.
  std::int64_t answers_that_agree() const;
  // Where the examination began again: what came before is no evidence, and may contradict.
  bool began_again() const { return done_before_ > 0; }
  std::span<const Record> before() const { return std::span(log_.records).first(records_before_); }
  // So many of them does it contradict, whatever its time is in its range.
  std::int64_t contradicted_before(const Hypothesis& hypothesis) const;
  // Why the kind that is left is not found, for people; empty: nothing speaks against it.
  std::string doubt() const;
  // A rule beside the one that was found denied nothing if it allows so many requests, in whichever
  // window. Empty: no single rule was found.
  std::optional<std::int64_t> unseen_from() const;
  // What would tell the open ones apart, at any price; empty: one is left, or nothing is known that
  // would.
  std::optional<Separation> telling_more() const;

 private:
  std::optional<Tactic> next_tactic(std::int64_t now_us);
  std::optional<Tactic> telling_apart(std::int64_t now_us);
  std::optional<Tactic> next_narrowing(const Situation& situation);
  bool are_pairs() const;
  void try_pairs();
  bool look_again();
  std::optional<Tactic> next_lasting(const Situation& situation) const;
  Tactic polling(std::string name, std::int64_t first_us) const;
  std::optional<Tactic> waiting_for_second() const;
  std::optional<Tactic> beginning_again();
  std::span<const Record> evidence() const;
  std::size_t tactics_played() const { return done_.size() - done_before_; }
  std::optional<Tactic> end_with(ExaminationEnd end);
  std::optional<Tactic> end_without_admissions();
  bool is_delayed() const;
  bool explains_use_before(const Hypothesis& found) const;
  std::int64_t limit_found() const;
  std::int64_t budget() const;
  std::int64_t round_trip_us() const;

  ExaminationLimits limits_;
  Log log_;
  std::vector<Hypothesis> hypotheses_;
  Tactic tactic_;
  std::optional<TacticPlay> play_;
  std::vector<std::string> done_;
  std::map<std::string, double> narrowed_;  // by name: how wide the range was before the last try
  std::int64_t began_us_ = kNoTime;
  std::int64_t now_us_ = 0;
  std::int64_t admitted_in_a_row_ = 0;
  std::int64_t limit_seen_ = 0;  // the longest row of admissions
  std::int64_t looks_ = 0;       // how often refuted kinds were opened again
  std::size_t records_before_ = 0;
  std::size_t done_before_ = 0;
  ExaminationEnd end_ = ExaminationEnd::out_of_budget;
};

}  // namespace rlctl
