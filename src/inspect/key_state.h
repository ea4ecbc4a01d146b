// KeyState: the content of a key, read without changing it and never in full: entries are paged
// from the newest end, values are cut. One key takes a few round trips.
//
// If this user may not see something, that is data (`refused`, `problem`), not an Error; so is a
// node of a cluster that does not answer, for who asks so (IfLost). Reading a key's content resets
// its idle time, unless CLIENT NO-TOUCH is on, so OBJECT IDLETIME is asked first. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/redis/redis.h"
#include "limiter/manifest.h"

namespace rlctl {

struct Entry {
  std::string member;
  std::optional<std::int64_t> at_us;  // from its score (zset) or its text (list)
};

// The entries of a log that are younger than its window: how many, and the time of the oldest.
struct LiveEntries {
  std::int64_t count = 0;
  std::optional<std::int64_t> oldest_us;
};

// What is beside a block flag: keys of the same limiter's name.
enum class Beside : std::uint8_t { unknown, nothing, limiter, other_data };

inline constexpr std::int64_t kNoExpiry = -1;  // as PTTL reports it
inline constexpr std::int64_t kNoKey = -2;

struct KeyState {
  std::string key;
  std::string type_name = "none";    // as TYPE reports it; "none": there is no such key
  StateType type = StateType::none;  // none: no key, or a type that no limiter uses
  std::int64_t ttl_ms = kNoKey;
  std::int64_t memory_bytes = -1;  // Redis estimates it from samples; -1: not known
  std::string encoding;
  std::int64_t idle_s = -1;
  std::int64_t length = 0;  // entries, fields or bytes; -1: a glance has not seen its end
  std::string value;        // string: its first bytes
  std::vector<std::pair<std::string, std::string>> fields;  // hash: some fields, in Redis's order
  std::vector<Entry> entries;                               // list, zset: the newest, newest last
  bool newest_first = false;                                // list: entries are pushed at its head
  std::string time_unit;             // s, ms, µs or ns, from the newest entry; empty: no times
  std::optional<LiveEntries> live;   // logs, if the window is known
  std::vector<std::string> refused;  // commands this user may not run
  std::string problem;               // why nothing is known about it: an error reply, raw
  std::string expiry_problem;        // why ttl_ms is not known: an error reply, raw
  bool is_lost = false;              // no answer came: `problem` says why
  Beside beside = Beside::unknown;   // of a flag without an expiry (inspect/companions.h)

  bool exists() const { return type_name != "none"; }
};

// What a lost answer is: an Error(Exit::target), or a state that is_lost.
enum class IfLost : std::uint8_t { fail, tell };

Task<KeyState> read_key_state(Redis& redis, std::string key, std::int64_t most_entries,
                              IfLost if_lost);

// As above for many keys in a few round trips. It reads only the newest entries, no memory usage
// and no encoding: enough to recognize what a key is.
Task<std::vector<KeyState>> glance_at(Redis& redis, std::vector<std::string> keys,
                                      IfLost if_lost = IfLost::fail);

// The entries of a log after `horizon_us`.
// O(log n) round trips for a list, two for a zset; none if the state holds every entry.
Task<LiveEntries> read_live_entries(Redis& redis, KeyState state, std::int64_t horizon_us);

// CLIENT NO-TOUCH (Redis 7.2): false if the server does not know it or refuses it. Never sent to a
// node of a cluster: a command on a key whose slot is moving would then end that server (SIGSEGV in
// getNodeByQuery; tried with Redis 8.0.2 and Valkey 8.1.1; redis/redis#14415 mends it).
Task<bool> leave_idle_times_alone(Redis& redis);

struct ServerTime {
  std::int64_t us = 0;
  bool from_redis = false;  // false: TIME is refused (NOPERM), so this is our own clock
};
Task<ServerTime> read_time(Redis& redis);

}  // namespace rlctl
