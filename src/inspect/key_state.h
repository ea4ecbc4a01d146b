// KeyState: what a key holds, read without changing it and never whole: entries are paged from the
// newest end, values are cut. One key, a few round trips.
//
// What this user may not see is data (`refused`, `problem`), not an Error; a lost connection is
// one. Reading the content of a key sets its idle time back, unless CLIENT NO-TOUCH holds:
// therefore OBJECT IDLETIME is asked first. One thread.
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
  std::optional<std::int64_t> at_us;  // of its score (zset) or of itself (list)
};

inline constexpr std::int64_t kNoExpiry = -1;  // as PTTL has it
inline constexpr std::int64_t kNoKey = -2;

struct KeyState {
  std::string key;
  std::string type_name = "none";    // as TYPE says; "none": there is no such key
  StateType type = StateType::none;  // none: no key, or of a type that no limiter uses
  std::int64_t ttl_ms = kNoKey;
  std::int64_t memory_bytes = -1;  // Redis estimates it from samples; -1: not told
  std::string encoding;
  std::int64_t idle_s = -1;
  std::int64_t length = 0;                                  // entries, fields or bytes
  std::string value;                                        // string: its first bytes
  std::vector<std::pair<std::string, std::string>> fields;  // hash: some, in Redis's order
  std::vector<Entry> entries;                               // list, zset: the newest, newest last
  bool newest_first = false;                                // list: entries are pushed at its head
  std::string time_unit;             // of the newest entry: s, ms, µs, ns; empty: no times
  std::vector<std::string> refused;  // commands this user may not run
  std::string problem;               // why nothing is known of it: an error reply, raw

  bool exists() const { return type_name != "none"; }
};

Task<KeyState> read_key_state(Redis& redis, std::string key, std::int64_t most_entries);

// As above for many keys in a few round trips, with the newest and nothing of memory and encoding:
// enough to tell what a key is.
Task<std::vector<KeyState>> glance_at(Redis& redis, std::vector<std::string> keys);

// The entries of a log after `horizon_us`: how many, and when the oldest of them was.
struct LiveEntries {
  std::int64_t count = 0;
  std::optional<std::int64_t> oldest_us;
};
// O(log n) round trips for a list, two for a zset; none where the state holds every entry.
Task<LiveEntries> read_live_entries(Redis& redis, KeyState state, std::int64_t horizon_us);

// CLIENT NO-TOUCH (Redis 7.2): false where the server has none or does not let us.
Task<bool> leave_idle_times_alone(Redis& redis);

struct ServerTime {
  std::int64_t us = 0;
  bool from_redis = false;  // false: it may not be asked (NOPERM), so this is our own clock
};
Task<ServerTime> read_time(Redis& redis);

}  // namespace rlctl
