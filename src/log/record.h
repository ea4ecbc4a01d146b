// One operation of a run. Every command that sends traffic writes records; every command that
// judges reads them. Plain values; times are µs since 1970 on rlctl's clock (monotonic, anchored
// once to wall time), so that each figure in a report can be recomputed from the log.
//
// The room log: the records of a run (Log), and how they are written to files and read from them.
// - It includes policy and base. It is pure, apart from log_file and spill_file, which use the
// disk.
// - It must not know where records come from or what they prove: run fills the log,
//   verdict judges it.
// - The readers of foreign formats are in log/formats. They fill a LogRow; row_converter makes a
//   Record of it, in the same way for all formats.
//
// Begin with this file. Then: log_encoder.h (our own format), log_parser.h (finds the format of a
// file and reads it), formats/row.h and formats/columns.h, log_file.h, log_parts.h
// (records that wait, packed).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "base/words.h"
#include "log/clock_range.h"
#include "policy/judging_terms.h"
#include "policy/policy.h"

namespace rlctl {

enum class Outcome : std::uint8_t {
  allowed,
  denied,
  unknown,  // sent, but no decision received: decided at any t >= sent, or never
  failed,   // certainly not executed
};
inline constexpr Word<Outcome> kOutcomeWords[] = {{"allowed", Outcome::allowed},
                                                  {"denied", Outcome::denied},
                                                  {"unknown", Outcome::unknown},
                                                  {"failed", Outcome::failed}};
constexpr std::span<const Word<Outcome>> words_of(Outcome) { return kOutcomeWords; }

inline constexpr std::uint32_t kNoReset = std::numeric_limits<std::uint32_t>::max();

struct Record {
  std::int64_t intended_us = kNoTime;     // the planned send time
  std::int64_t sent_us = kNoTime;         // just before the first byte was sent
  std::int64_t received_us = kNoTime;     // just after the reply was complete; kNoTime: never
  std::int64_t server_us = kNoTime;       // the limiter's clock just after the decision, if known
  std::int64_t retry_after_us = kNoTime;  // as reported by the limiter, relative to its decision
  std::uint32_t key = 0;                  // index into Log::keys
  std::uint32_t cost = 1;                 // cost c counts as c admissions at one instant
  std::int32_t remaining = -1;            // as reported by the limiter; -1: not reported
  // If nothing remains: the reported time until that changes. For verdict/outcome/header_truth.h;
  // not in log files.
  std::uint32_t reset_ms = kNoReset;
  std::uint16_t server_span_us = 0;  // the decision was made at most this long before server_us
  std::uint16_t who = 0;             // index into Log::identities
  std::uint16_t status : 10 = 0;     // HTTP status; 0: none
  std::uint16_t target : 6 = 0;      // index into Log::targets
  std::uint8_t phase = 0;            // index into Log::phases
  Outcome outcome : 7 = Outcome::unknown;
  bool lacks_duration : 1 = false;  // its line had none: see Log::slow_before_us
};
static_assert(sizeof(Record) <= 64,
              "every decision of a run is kept; 10 million must fit a laptop");

inline Outcome record_outcome(const Record& record) { return record.outcome; }

// The limiter admitted it, but too few replicas confirmed that (WAIT), so its client was not let
// in. Nothing else that is unknown has a time of its decision.
inline bool is_unconfirmed(const Record& record) {
  return record.outcome == Outcome::unknown && record.server_us != kNoTime &&
         record.received_us != kNoTime;
}

// The limiter's clock just before the decision. Only if there is a server_us.
inline std::int64_t server_from_us(const Record& record) {
  return record.server_us - record.server_span_us;
}

// Above it, the stamps of one decision are not kept: [sent, received] says as much. A script of
// this length would stop Redis for everyone.
inline constexpr std::int64_t kLongestServerSpanUs = std::numeric_limits<std::uint16_t>::max();

// Sets both stamps of the decision, from_us <= to_us. False: they are too far apart to be kept.
inline bool set_server_stamps(Record& record, std::int64_t from_us, std::int64_t to_us) {
  if (to_us - from_us > kLongestServerSpanUs) return false;
  record.server_us = to_us;
  record.server_span_us = static_cast<std::uint16_t>(to_us - from_us);
  return true;
}

// What came after an admission: the end of its work, and what the work cost. A script's finish is a
// call of its own; for HTTP the work ends with the answer.
struct Finish {
  std::int64_t sent_us = kNoTime;      // kNoTime: there was none, so its holder vanished
  std::int64_t received_us = kNoTime;  // kNoTime: no reply, so it may have had no effect
  std::int64_t actual_cost = -1;       // what was used in fact; -1: not known, the cost counts

  bool operator==(const Finish&) const = default;
};

// A fault that the run injected on purpose.
struct LoggedFault {
  std::string kind;  // its name in scenarios: redis_restart
  std::int64_t at_us = 0;
  std::int64_t ended_us = 0;  // at_us if it was over at once
};

// What a scenario expected beside the verdict, and what came of it.
struct LoggedExpectation {
  std::string that;      // as written: "peak{phase=edge} <= 100"
  std::string result;    // held, broken, could_not_tell
  std::string measured;  // or why it is not known
};

// What the records of a phase do not tell. Of a run in parts: of all parts together.
struct LoggedPhase {
  std::string name;
  std::int64_t started_us = 0;
  std::int64_t ended_us = 0;
  std::int64_t dropped = 0;    // requests that were planned, but never sent
  std::int64_t completed = 0;  // items that consumers finished
};

// What rules may count by beside the key: the value of a name ("user", "route") in each record.
struct NamedValues {
  std::string name;
  std::vector<std::string> values = {""};  // the first one: none
  // By record, an index into `values`. Those after the end of the list have none.
  std::vector<std::uint32_t> of_record;

  std::uint32_t number_of(std::size_t record) const {
    return record < of_record.size() ? of_record[record] : 0;
  }
  const std::string& of(std::size_t record) const { return values[number_of(record)]; }
  void set(std::size_t record, std::uint32_t value) {
    if (of_record.size() <= record) of_record.resize(record + 1);
    of_record[record] = value;
  }
};

inline constexpr const char* kWholeRun = "1/1";
inline constexpr const char* kInterrupted = "it was interrupted";  // Log::stopped

struct Log {
  std::string algorithm;
  Policy policy;
  Rules contract;  // what the limiter promises; empty: not known
  std::string run_id;
  std::string command;            // the command that repeats the run
  std::string version;            // of the rlctl that made the run
  std::string server;             // "redis 7.0.15"; empty: unknown, or none
  std::int64_t servers = 1;       // that may decide: the nodes of a cluster
  std::string clock;              // "virtual": latencies mean nothing; empty: wall clock
  std::string expected;           // the verdict that the run asked for: "violated"; empty: none
  std::string expected_own;       // of the own contract; empty: part of `expected`
  std::string history;            // its name, if one file holds several ("hammer, round 2")
  std::string shard = kWholeRun;  // the parts of the run in this log: "1/3, 2/3"
  std::string missing;  // its other parts: "3/3"; empty: none, or not known. Not in files.
  std::vector<std::string> runs;  // their ids, if they are several. Not in files.
  std::uint64_t seed = 0;
  std::int64_t timeout_us = 0;  // how long the run waited for an answer; 0: unknown
  JudgingTerms terms;
  std::optional<Budgets> budgets;  // empty: not known
  // Of the records that lack a duration: by how much a slow request was decided before or after its
  // record's time. Not in log files.
  std::int64_t slow_before_us = 0;
  std::int64_t slow_after_us = 0;
  // No line had a duration: an interval is the stamp's second, or --longest. Not in log files.
  bool lacks_durations = false;
  // The stamps are coarse: an interval is up to this much longer than its request took. Not in log
  // files.
  std::int64_t widened_us = 0;
  bool lacks_latencies = false;  // it lacks durations, or not all intervals are as much longer
  // Why this is not the whole log: "it ends after 380 records"; empty: nothing is missing. Not in
  // log files.
  std::string cut;
  // Why the run ended before its plan: kInterrupted; empty: it did not.
  std::string stopped;
  std::int64_t began_us = kNoTime;  // the run, before its first request; kNoTime: not known
  std::vector<LoggedPhase> played;  // the phases under this policy; empty: not known
  std::vector<LoggedFault> faults;
  std::vector<LoggedExpectation> expectations;
  // The server's clock against that of the machine which played this part, by the Date headers of
  // the answers.
  ClockRange server_ahead;
  std::vector<std::string> keys;
  std::vector<std::string> identities;
  std::vector<std::string> phases;
  std::vector<std::string> targets;  // that decided together; fewer than 2: one limiter decided
  std::vector<NamedValues> names;    // beside the key
  std::vector<Record> records;

  // Admissions end by a finish of their own. Otherwise they end with the answer.
  bool has_finishes = false;
  // One per record; those after the end of the list are empty. Beside the records, because most
  // runs have none.
  std::vector<Finish> finishes;
  std::set<std::size_t> unfinished;  // of a run that goes on: finishes that may still come

  Finish finish_of(std::size_t record) const {
    return record < finishes.size() ? finishes[record] : Finish();
  }
  void set_finish(std::size_t record, const Finish& finish) {
    if (finishes.size() <= record) finishes.resize(record + 1);
    finishes[record] = finish;
  }

  // How long an answered request took, from this time on.
  std::int64_t latency_us(const Record& record, std::int64_t from_us) const {
    return std::max<std::int64_t>(0, record.received_us - from_us - widened_us);
  }

  // False: it lacks records of the run. Those may explain the others, so that nothing is decided.
  bool is_whole() const { return shard == kWholeRun && cut.empty(); }

  // Requests of the run that were planned, but never sent.
  std::int64_t dropped() const {
    std::int64_t sum = 0;
    for (const LoggedPhase& phase : played) sum += phase.dropped;
    return sum;
  }

  // The same log with only those records whose index `keeps` accepts.
  template <class Keeps>
  Log only(Keeps keeps) const {
    Log part = *this;
    part.records.clear();
    part.finishes.clear();
    for (NamedValues& values : part.names) values.of_record.clear();
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!keeps(i)) continue;
      if (i < finishes.size()) part.set_finish(part.records.size(), finishes[i]);
      for (std::size_t n = 0; n < names.size(); ++n)
        part.names[n].set(part.records.size(), names[n].number_of(i));
      part.records.push_back(records[i]);
    }
    return part;
  }
};

// True if it was sent more than `after_us` behind the schedule. A request that was never sent is
// not late.
inline bool sent_late(const Record& record, std::int64_t after_us) {
  return record.intended_us != kNoTime && record.sent_us != kNoTime &&
         record.sent_us - record.intended_us > after_us;
}

// When a service decided again after a fault: the receive time of the first answer (allowed or
// denied) to a request sent at `fault_us` or later. kNoTime: there was none. O(n).
inline std::int64_t first_answer_after(std::span<const Record> records, std::int64_t fault_us) {
  std::int64_t first_us = kNoTime;
  for (const Record& record : records) {
    if (record.outcome > Outcome::denied || record.sent_us < fault_us) continue;
    if (first_us == kNoTime || record.received_us < first_us) first_us = record.received_us;
  }
  return first_us;
}

}  // namespace rlctl
