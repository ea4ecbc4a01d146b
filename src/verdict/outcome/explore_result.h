// What an exploration of interleavings found: `explore` fills it, the reports show it. Times are
// µs. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "log/record.h"
#include "policy/rule.h"
#include "verdict/verdict.h"

namespace rlctl {

// Counts up to 2^128 - 1 and stays there.
class ScheduleCount {
 public:
  constexpr ScheduleCount() = default;
  constexpr ScheduleCount(std::uint64_t count) : value_(count) {}

  ScheduleCount& operator+=(const ScheduleCount& other);
  bool is_zero() const { return value_ == 0; }
  bool is_most() const { return value_ == ~Wide{0}; }
  std::string digits() const;
  double approximately() const { return static_cast<double>(value_); }
  friend bool operator==(const ScheduleCount&, const ScheduleCount&) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide value_ = 0;
};

struct ScheduleCounts {
  ScheduleCount schedules;
  ScheduleCount violating;  // too many were admitted
  ScheduleCount refusing;   // fewer were admitted than there was room for
  ScheduleCount littering;  // a key without expiry stays, because a client crashed
  ScheduleCount leaking;    // some of what a client was given is never given back

  ScheduleCounts& operator+=(const ScheduleCounts& other);
};

// How much was explored.
enum class Coverage : std::uint8_t {
  exhaustive,   // every schedule
  preemptions,  // every schedule with at most so many preemptions
  random,       // these, and random ones
  replay,       // one schedule
};
inline constexpr Word<Coverage> kCoverageWords[] = {{"exhaustive", Coverage::exhaustive},
                                                    {"preemptions", Coverage::preemptions},
                                                    {"random", Coverage::random},
                                                    {"replay", Coverage::replay}};
constexpr std::span<const Word<Coverage>> words_of(Coverage) { return kCoverageWords; }

// Random schedules of PCT (run/explore/pct.h) beyond a search that was cut short.
struct RandomRuns {
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;
  int depth = 0;                       // the largest; the depths take turns
  std::int64_t threads = 0;            // n
  std::int64_t steps = 0;              // k: no run that counts was longer
  std::vector<std::uint64_t> counted;  // by depth, from 1: runs with these n and k

  // An upper bound on the probability that no run found a race of this depth, as its logarithm to
  // the base 10.
  double log10_missed(int race_depth) const;
};

struct ExplorePass {
  std::string events;  // what may happen besides the steps of clients, in words; empty: nothing
  Coverage coverage = Coverage::exhaustive;
  std::int64_t preemptions_covered = 0;
  RandomRuns random;
  // With exhaustive coverage.
  ScheduleCounts counts;
  std::vector<ScheduleCounts> by_preemptions;

  std::uint64_t states = 0;
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
};

enum class ExploreFinding : std::uint8_t {
  over_admission,      // more than the contract allows
  blocked_for_ever,    // every later request is denied, however long clients wait
  key_without_expiry,  // left by a client that crashed; it does not block others
  false_denial,        // denied, though there was room
  leak,                // some of what a client was given is never given back
};
inline constexpr Word<ExploreFinding> kExploreFindingWords[] = {
    {"over_admission", ExploreFinding::over_admission},
    {"blocked_for_ever", ExploreFinding::blocked_for_ever},
    {"key_without_expiry", ExploreFinding::key_without_expiry},
    {"false_denial", ExploreFinding::false_denial},
    {"leak", ExploreFinding::leak}};
constexpr std::span<const Word<ExploreFinding>> words_of(ExploreFinding) {
  return kExploreFindingWords;
}

enum class TraceKind : std::uint8_t { command, decision, crash, time, expiry, forget };
inline constexpr Word<TraceKind> kTraceKindWords[] = {
    {"command", TraceKind::command}, {"decision", TraceKind::decision},
    {"crash", TraceKind::crash},     {"time", TraceKind::time},
    {"expiry", TraceKind::expiry},   {"forget", TraceKind::forget}};
constexpr std::span<const Word<TraceKind>> words_of(TraceKind) { return kTraceKindWords; }

// One line of a trace.
struct TraceStep {
  using Kind = TraceKind;
  Kind kind = TraceKind::command;
  std::size_t client = 0;              // command, decision, crash
  std::string text;                    // the command, or what happened in words
  std::string reply;                   // command
  std::int64_t at_us = 0;              // since the beginning
  Outcome outcome = Outcome::unknown;  // decision
  std::int64_t admitted = 0;           // decision: so far, this one included
  std::string interrupted;             // the next step of the client that was preempted
  std::size_t interrupted_client = 0;  // the client that was preempted
  bool breaks = false;                 // the contract is broken from here on
  std::int64_t tries = 1;              // command: attempts, failed retries included
};

struct ExploreViolation {
  ExploreFinding finding = ExploreFinding::over_admission;
  std::int64_t preemptions = 0;
  std::int64_t steps = 0;
  Rules broken;                   // of an over-admission: these rules, first
  std::int64_t admitted = 0;      // if only limits in flight are broken: held at once
  std::vector<std::string> keys;  // that have no expiry in the end
  // If keys stay: the outcomes of clients that come long after, one by one. Of a leak: those of as
  // many clients as may hold at once, after all leases have ended.
  std::vector<Outcome> afterwards;
  std::int64_t afterwards_gap_us = 0;
  std::string schedule;    // for --replay
  bool by_chance = false;  // found at random: there may be a shorter one
  std::vector<TraceStep> trace;
  bool confirmed = false;  // on a real Redis
  std::string doubt;       // why it was not confirmed
};

struct ExploreResult {
  std::string algorithm;
  std::string key;
  Policy policy;
  Rules contract;  // that it was checked against; not empty
  bool on_client = false;
  std::size_t clients = 0;
  std::vector<ExplorePass> passes;
  std::vector<ExploreViolation> violations;
  std::vector<TraceStep> replayed;  // of a replay without a violation
  std::vector<std::string> notes;
  std::int64_t most_admitted = 0, least_admitted = 0;  // with all clients alive
  std::string refusing_schedule;  // one that denies a client though there was room
  VerdictKind verdict = VerdictKind::inconclusive;
  std::string reason;
  std::string server;   // violations were confirmed on it
  std::string command;  // to type again, without --replay
};

}  // namespace rlctl
