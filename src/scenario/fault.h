// The faults of a scenario, and the table of their kinds: a row has a kind's word, the member that
// it takes, what it harms and its sentence. The reader, the checks and the schema's test read it;
// run/fault_play.h has one function for each row. Plain values; times are µs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "arrivals/phase.h"
#include "base/source_text.h"
#include "base/words.h"

namespace rlctl {

enum class FaultKind : std::uint8_t {
  script_flush,
  redis_restart,
  redis_pause,
  failover,
  slot_migration,
  client_kill,
  memory_full,
  clock_skew,
  client_crash,
  latency,
  cut,
  half_open,
};

// What a fault does to Redis: nothing; nothing that lasts, so that --allow-faults is enough on a
// Redis that rlctl did not start; or it destroys data or halts the server, so never there.
enum class Harm : std::uint8_t { none, passing, lasting };

// What of its kind the Redis must be. Only rlctl's own: what it has is known before the run.
enum class Needs : std::uint8_t { any, cluster, replicas };

// Whether a single Redis must be there while a fault lasts: it makes no difference; it must answer
// when the fault begins and when it ends; or it is the fault that takes it away. Of a cluster,
// another node may answer.
enum class LiveRedis : std::uint8_t { any, needed, ended };

// Whether the old master of a failover waits for its replica, or is not asked.
enum class TakeOver : std::uint8_t { graceful, takeover };
inline constexpr Word<TakeOver> kTakeOverWords[] = {{"graceful", TakeOver::graceful},
                                                    {"takeover", TakeOver::takeover}};
constexpr std::span<const Word<TakeOver>> words_of(TakeOver) { return kTakeOverWords; }

// A member of its own, beside `at` and `do`. In --fault the values follow colons, in this order.
struct FaultMember {
  const char* name = "";
  const char* required = "";  // the hint if it is missing; empty: it has a default
  const char* values = "";    // what --fault shows in the place of its name; empty: the name
};

struct FaultRow {
  const char* name;
  FaultKind meaning;
  const char* sentence;  // the schema's description of the kind
  std::array<FaultMember, 3> takes = {};
  bool of_clients = false;  // happens to the clients that decide, so not over HTTP
  Harm harm = Harm::lasting;
  bool by_proxy = false;  // happens on the way to Redis, which is a proxy then
  Needs needs = Needs::any;
  LiveRedis redis = LiveRedis::any;

  bool harms_at_its_end() const { return redis == LiveRedis::ended || needs != Needs::any; }
  bool does_take(std::string_view member) const {
    return std::ranges::find(takes, member, &FaultMember::name) != takes.end();
  }
};

inline constexpr FaultMember kDown{"down", "how long it lasts: \"down\": \"2s\""};

inline constexpr FaultRow kFaultRows[] = {
    {.name = "script_flush",
     .meaning = FaultKind::script_flush,
     .sentence = "SCRIPT FLUSH",
     .harm = Harm::passing,
     .redis = LiveRedis::needed},
    {.name = "redis_restart",
     .meaning = FaultKind::redis_restart,
     .sentence = "Redis is gone for the time in down, and is empty when it is back; of a cluster: "
                 "the master of the key that was asked for most often",
     .takes = {kDown},
     .redis = LiveRedis::ended},
    {.name = "redis_pause",
     .meaning = FaultKind::redis_pause,
     .sentence = "Redis hangs for the time in down; of a cluster: that master",
     .takes = {kDown},
     .redis = LiveRedis::ended},
    {.name = "failover",
     .meaning = FaultKind::failover,
     .sentence = "a replica of that master takes over: how says graceful (its master waits for it) "
                 "or takeover (at once, after it heard nothing for the time in down)",
     .takes = {FaultMember{"how", "", "graceful|takeover"}, FaultMember{"down", ""}},
     .needs = Needs::replicas},
    {.name = "slot_migration",
     .meaning = FaultKind::slot_migration,
     .sentence = "the slot of that key moves to another master, key by key, and is under way for "
                 "the time in down at least",
     .takes = {FaultMember{"down", ""}},
     .needs = Needs::cluster},
    {.name = "client_kill",
     .meaning = FaultKind::client_kill,
     .sentence = "CLIENT KILL TYPE normal: every connection is closed",
     .harm = Harm::passing,
     .redis = LiveRedis::needed},
    {.name = "memory_full",
     .meaning = FaultKind::memory_full,
     .sentence = "Redis stores nothing for the time in down: maxmemory without eviction",
     .takes = {kDown},
     .redis = LiveRedis::needed},
    {.name = "clock_skew",
     .meaning = FaultKind::clock_skew,
     .sentence = "the clients' clocks jump by the time in by",
     .takes = {FaultMember{"by", "how far the clock jumps: \"by\": \"+1500ms\""}},
     .of_clients = true,
     .harm = Harm::none},
    {.name = "client_crash",
     .meaning = FaultKind::client_crash,
     .sentence = "a client-run decision ends after as many commands as steps says",
     .takes = {FaultMember{"steps", ""}},
     .of_clients = true,
     .harm = Harm::passing},
    {.name = "latency",
     .meaning = FaultKind::latency,
     .sentence =
         "a round trip to Redis takes longer by the time in by, and at random up to that in "
         "jitter more",
     .takes = {FaultMember{"by", "how much longer: \"by\": \"20ms\""}, kDown,
               FaultMember{"jitter", ""}},
     .harm = Harm::passing,
     .by_proxy = true},
    {.name = "cut",
     .meaning = FaultKind::cut,
     .sentence = "all connections are reset, and new ones too for the time in down",
     .takes = {kDown},
     .harm = Harm::passing,
     .by_proxy = true},
    {.name = "half_open",
     .meaning = FaultKind::half_open,
     .sentence = "connections stay open, but for the time in down nothing comes through",
     .takes = {kDown},
     .harm = Harm::passing,
     .by_proxy = true}};
constexpr std::span<const FaultRow> words_of(FaultKind) { return kFaultRows; }

struct Fault {
  FaultKind kind = FaultKind::script_flush;
  Moment at;
  std::int64_t down_us = 0;
  std::int64_t by_us = 0;
  std::int64_t jitter_us = 0;
  std::int64_t steps = 1;
  TakeOver how = TakeOver::graceful;
  SourcePlace place;

  const FaultRow& row() const { return row_of(kind); }
};

}  // namespace rlctl
