// What reset may remove: keys that hold a limiter's data, as far as their content tells. A session,
// a basket or a queue is not that, and a number that never expires may be anything. Fails as
// io/redis/keyspace.h does. One thread.
#pragma once

#include <string>
#include <vector>

#include "inspect/key_reading.h"
#include "io/redis/keyspace.h"

namespace rlctl {

struct RemovalRule {
  bool any_data = false;       // the user wants whatever the keys hold to be removed
  bool searched = false;       // rlctl chose the keys by a client, not the user by their names
  bool shown = false;          // a person sees what they hold before they are removed
  std::string block_key = {};  // how the user calls the block flag; empty: as rlctl does
  std::string client = {};     // what has just this name may be anything; empty: no such key

  bool is_careful() const { return searched && !any_data; }
};

struct ExaminedKey {
  RemovedKey key;                 // `removed`: it may be; with what it holds
  std::vector<std::string> seen;  // for remove_keys; empty: it could not be read
};

// Of the keys that exist. Pass some hundred keys at a time.
Task<std::vector<ExaminedKey>> examine(Redis& redis, KeyReader& reader,
                                       std::vector<std::string> keys, RemovalRule rule);

}  // namespace rlctl
