// Hot keys: the counters of limiters that grow fastest, seen by reading the fullest ones twice.
// Only GET, LLEN and ZCARD: no MONITOR. What a limiter denies without counting it, a log at its
// limit and a bucket do not grow: they show only if the server counts uses (an LFU policy).
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "inspect/doctor/finding.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"
#include "io/loop.h"
#include "io/redis/redis.h"

namespace rlctl {

struct Counter {
  std::string key;
  StateType type = StateType::string;
  double used = 0;

  bool operator>(const Counter& other) const { return used > other.used; }
};

// Up to 1,000 of those that it is shown. Pure; one thread.
class FullestCounters {
 public:
  void add(const KeyState& state, const KeyReading& reading);
  std::vector<Counter> take();

 private:
  std::priority_queue<Counter, std::vector<Counter>, std::greater<>> fullest_;  // least on top
};

// How much a counter grew between two readings, and how long that took.
struct Growth {
  std::string key;
  std::int64_t by = 0;
  std::int64_t in_us = 0;
};

// Takes a quarter of a second. A key that is gone, or began anew, has not grown.
Task<std::vector<Growth>> watch_growth(Loop& loop, Redis& redis, std::vector<Counter> counters);

// The keys that were told.
std::set<std::string> examine(const std::vector<Growth>& growths, HealthFindings& findings);

// The keys of limiters by OBJECT FREQ: the logarithm of how often each was used of late, up to 255.
class UsedKeys {
 public:
  void add(const std::string& key, std::int64_t frequency);
  // `commands_per_s`: of all clients. Keys that were told already are left out.
  void examine(std::int64_t commands_per_s, const std::set<std::string>& told,
               HealthFindings& findings) const;

 private:
  struct Used {
    std::string key;
    std::int64_t frequency = 0;
  };
  std::vector<Used> most_;  // the most used first
};

struct Frequencies {
  std::vector<std::optional<std::int64_t>> of_keys;  // a key whose server does not count has none
  std::string refusal;  // why this user may not ask: raw; empty: all were asked
};
Task<Frequencies> read_frequencies(Redis& redis, const std::vector<std::string>& keys);

}  // namespace rlctl
