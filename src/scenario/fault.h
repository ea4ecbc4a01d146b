// The faults of a scenario, and the table of their kinds: a row has a kind's word, the member that
// it takes, what it needs and its sentence. The reader, the checks and the schema's test read it;
// run/fault_play.h has one function for each row. Plain values; times are µs.
#pragma once

#include <cstdint>
#include <span>

#include "arrivals/phase.h"
#include "base/source_text.h"
#include "base/words.h"

namespace rlctl {

enum class FaultKind : std::uint8_t {
  script_flush,
  redis_restart,
  redis_pause,
  client_kill,
  memory_full,
  clock_skew,
  client_crash,
};

struct FaultRow {
  const char* name;
  FaultKind meaning;
  const char* sentence;       // the schema's description of the kind
  const char* takes = "";     // its own member, beside `at` and `do`
  const char* required = "";  // the hint if that member is missing; empty: it has a default
  bool of_clients = false;    // happens to the clients that decide, so not over HTTP
  bool spares_redis = false;  // harms no Redis, so it is also played on the user's
};

inline constexpr FaultRow kFaultRows[] = {
    {.name = "script_flush", .meaning = FaultKind::script_flush, .sentence = "SCRIPT FLUSH"},
    {.name = "redis_restart",
     .meaning = FaultKind::redis_restart,
     .sentence = "Redis is gone for the time in down, and is empty when it is back",
     .takes = "down",
     .required = "how long Redis is down: \"down\": \"2s\""},
    {.name = "redis_pause",
     .meaning = FaultKind::redis_pause,
     .sentence = "Redis hangs for the time in down",
     .takes = "down",
     .required = "how long Redis is down: \"down\": \"2s\""},
    {.name = "client_kill",
     .meaning = FaultKind::client_kill,
     .sentence = "CLIENT KILL TYPE normal: every connection is closed"},
    {.name = "memory_full",
     .meaning = FaultKind::memory_full,
     .sentence = "Redis stores nothing for the time in down: maxmemory without eviction",
     .takes = "down",
     .required = "how long the memory is full: \"down\": \"2s\""},
    {.name = "clock_skew",
     .meaning = FaultKind::clock_skew,
     .sentence = "the clients' clocks jump by the time in by",
     .takes = "by",
     .required = "how far the clock jumps: \"by\": \"+1500ms\"",
     .of_clients = true,
     .spares_redis = true},
    {.name = "client_crash",
     .meaning = FaultKind::client_crash,
     .sentence = "a client-run decision ends after as many commands as steps says",
     .takes = "steps",
     .of_clients = true}};
constexpr std::span<const FaultRow> words_of(FaultKind) { return kFaultRows; }

struct Fault {
  FaultKind kind = FaultKind::script_flush;
  Moment at;
  std::int64_t down_us = 0;
  std::int64_t by_us = 0;
  std::int64_t steps = 1;
  SourcePlace place;

  const FaultRow& row() const { return row_of(kind); }
};

}  // namespace rlctl
