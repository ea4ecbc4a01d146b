// One operation of a run: the spine. Every verb that plays traffic writes records, every verb that
// judges reads them. Plain values; times are µs since 1970 on rlctl's clock (monotonic, anchored
// once to wall time), so that each figure in a report can be computed again from the log.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "base/words.h"
#include "policy/policy.h"

namespace rlctl {

enum class Outcome : std::uint8_t {
  allowed,
  denied,
  unknown,  // bytes went out, no decision came back: it happened at any t >= sent, or never
  failed,   // certainly not executed
};
inline constexpr Word<Outcome> kOutcomeWords[] = {{"allowed", Outcome::allowed},
                                                  {"denied", Outcome::denied},
                                                  {"unknown", Outcome::unknown},
                                                  {"failed", Outcome::failed}};
constexpr std::span<const Word<Outcome>> words_of(Outcome) { return kOutcomeWords; }

inline constexpr std::uint32_t kNoReset = std::numeric_limits<std::uint32_t>::max();

struct Record {
  std::int64_t intended_us = kNoTime;     // when the schedule wanted it sent
  std::int64_t sent_us = kNoTime;         // just before the first byte went out
  std::int64_t received_us = kNoTime;     // just after the reply was complete; kNoTime: never
  std::int64_t server_us = kNoTime;       // the instant of the decision, when the limiter told us
  std::int64_t retry_after_us = kNoTime;  // as the limiter told, relative to its decision
  std::uint32_t key = 0;                  // index into Log::keys
  std::uint32_t who = 0;                  // index into Log::identities
  std::uint32_t cost = 1;                 // cost c is c admissions at one instant
  std::int32_t remaining = -1;            // as the limiter told; -1: it did not
  // With nothing remaining: how long until that changes, as told; for verdict/header_truth.h, not in
  // log files.
  std::uint32_t reset_ms = kNoReset;
  std::uint16_t status = 0;  // HTTP status; 0: none
  std::uint8_t phase = 0;    // index into Log::phases
  Outcome outcome = Outcome::unknown;
};
static_assert(sizeof(Record) <= 64,
              "every decision of a run is kept; 10 million must fit a laptop");

// A disturbance that the run made on purpose.
struct LoggedFault {
  std::string kind;  // as scenarios call it: redis_restart
  std::int64_t at_us = 0;
};

inline constexpr const char* kWholeRun = "1/1";

struct Log {
  std::string algorithm;
  Policy policy;
  Contract contract;
  std::string run_id;
  std::string command;            // that plays it again
  std::string version;            // of the rlctl that played it
  std::string server;             // "redis 7.0.15"; empty: not known, or none
  std::string clock;              // "virtual": latencies mean nothing; empty: the wall's
  std::string history;            // its name where one file holds several ("hammer, round 2")
  std::string shard = kWholeRun;  // which part of the run's records this is: "1/3, 2/3"
  std::uint64_t seed = 0;
  std::int64_t tolerance_us = 0;  // how coarse the limiter's own clock is
  std::vector<LoggedFault> faults;
  std::vector<std::string> keys;
  std::vector<std::string> identities;
  std::vector<std::string> phases;
  std::vector<Record> records;
};

}  // namespace rlctl
