// The keys of a Redis: found by SCAN, never KEYS, and removed by UNLINK, never DEL, so that no
// other client waits. Error(Exit::target) where Redis does not answer; what happens to a single
// key is data. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// One call of SCAN from a cursor on ("0": the beginning, and at the end again), over about
// `count` keys of the database.
struct ScanPage {
  std::string cursor;
  std::vector<std::string> keys;
};
Task<ScanPage> scan_page(Redis& redis, std::string cursor, std::string pattern, std::int64_t count);

// How many keys there are (DBSIZE); empty where it is refused.
Task<std::optional<std::int64_t>> count_keys(Redis& redis);

// One pass over the keys that match a pattern. SCAN promises every key that is there all the time,
// perhaps more than once: each comes once here, told apart by its bytes, all of which are kept
// until the scan is destroyed.
class KeyScan {
 public:
  KeyScan(Redis& redis, std::string pattern) : redis_(redis), pattern_(std::move(pattern)) {}

  // The next page, which may be empty before the end.
  Task<std::vector<std::string>> next();
  bool done() const { return done_; }

  // About how many keys of the database it has gone past, whether they match or not.
  std::int64_t passed() const { return passed_; }

 private:
  Redis& redis_;
  std::string pattern_;
  std::string cursor_ = "0";
  bool done_ = false;
  std::int64_t passed_ = 0;
  std::unordered_set<std::string> seen_;
};

// Of each key, whether it exists; one that may not be asked for (NOPERM) counts as there.
Task<std::vector<bool>> find_existing(Redis& redis, std::vector<std::string> keys);

// True on a node of a cluster, which knows its own part of the keys only.
Task<bool> is_cluster_node(Redis& redis);

enum class Removal : std::uint8_t { removed, absent, of_other_type, refused };
struct RemovedKey {
  std::string key;
  Removal what = Removal::absent;
  std::string words;  // the other type, or the refusal: raw
};

// Of each key: may it be a limiter's (string, list, zset, hash)? Nothing is removed: `removed`
// stands for what would be.
Task<std::vector<RemovedKey>> check_removable(Redis& redis, std::vector<std::string> keys);

// Checks the types again and unlinks what is a limiter's. Some hundred keys at a time.
Task<std::vector<RemovedKey>> remove_keys(Redis& redis, std::vector<std::string> keys);

}  // namespace rlctl
