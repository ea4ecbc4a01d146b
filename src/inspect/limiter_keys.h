// Finds the keys of limiters from user input: a key, or the part that several keys have in common.
// One thread; fails as io/redis/keyspace.h does.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/fingerprints.h"
#include "inspect/layouts.h"
#include "io/redis/redis.h"

namespace rlctl {

// Keys that belong together (inspect/limiter_keys.h), without the block flag.
struct LimiterKeys {
  std::string name;
  std::vector<std::string> keys;
  std::string block_key;  // whether or not it exists
};

// `text` is a key: returns that key. If it does not exist, returns the keys that have it as their
// common part (`ratelimit:ip:1.2.3.4` finds `…:minute`). If there are none, `keys` is empty. With
// it come the keys that belong to it by a layout, and keys that may exist on a node of a cluster
// that does not answer. `block_key`: empty for the default.
Task<LimiterKeys> find_limiter(Redis& redis, const Layouts& layouts, std::string text,
                               std::string block_key);

// The limiters that keys belong to, the first `most` by name; the others are only counted, with a
// fingerprint each (inspect/fingerprints.h). Borrows the layouts.
class FirstLimiters {
 public:
  FirstLimiters(const Layouts& layouts, std::size_t most) : layouts_(layouts), most_(most) {}

  // A page of keys, in any order, and some perhaps twice.
  void add(std::vector<std::string> page);

  std::int64_t total() const { return total_; }
  std::vector<LimiterKeys> limiters() const;  // sorted by name

 private:
  void add_key(std::string key);

  const Layouts& layouts_;
  std::size_t most_;
  std::map<std::string, std::set<std::string>> keys_;  // by the limiter's name
  Fingerprints met_;
  std::int64_t total_ = 0;
};

// How the names of one limiter's keys are related. Pure; bytes in, bytes out.
//
// A limiter `ratelimit:ip:1.2.3.4` may count in `…:second`, `…:minute`, `…:hour` and `…:day`, and
// keep its block flag in `…:blocked`.

// `ratelimit:ip:1.2.3.4:minute` and `…:blocked` -> `ratelimit:ip:1.2.3.4`; keys that belong
// together by a layout -> its first key; other keys are returned unchanged.
std::string limiter_name(const Layouts& layouts, std::string_view key);

// The default key of the block flag (policy/key.h); the key of a flag is returned unchanged.
std::string block_key_beside(std::string_view key);

bool is_block_key(std::string_view key);

// The keys that a limiter of this name may have: the name itself, the name with each ending, and
// last the block key. Those of a layout are Layouts::companions_of.
std::vector<std::string> keys_by_name(std::string_view name);

}  // namespace rlctl
