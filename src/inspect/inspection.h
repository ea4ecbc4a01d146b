// Inspection: everything that can be found out about one limiter without changing it: its keys,
// what they mean under a policy, its block flag. Fails as inspect/key_state.h does. One thread.
//
// The room inspect: what the keys of a Redis mean, for people who operate it: inspect, list, reset,
// block. inspect/watch is the live view.
// - It includes limiter (for the manifests), policy, io and base.
// - It must not decide or record anything, and must not disturb the server: it reads pages, never
//   KEYS, and only what the user asked for.
// - No algorithm is named in it: manifests say what a key means.
//
// Begin with key_state.h (the content of a key) and key_reading.h (its meaning). Then: this file
// (one limiter), overview.h (all limiters of a Redis), watch/session.h and watch/sampler.h.
#pragma once

#include <string>
#include <vector>

#include "inspect/block_flag.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"
#include "inspect/limiter_keys.h"
#include "inspect/limiter_row.h"

namespace rlctl {

class InspectedKey {
 public:
  KeyState state;
  KeyReading reading;

  bool is_stuck() const { return lasts() && !reading.guess; }
  bool is_perhaps_stuck() const { return lasts() && reading.guess; }
  bool has_hidden_expiry() const { return !state.expiry_problem.empty(); }

 private:
  bool lasts() const { return reading.needs_expiry() && state.ttl_ms == kNoExpiry; }
};

struct Inspection {
  std::string name;
  std::vector<InspectedKey> keys;
  std::optional<KeyReading> together;  // of keys that a layout reads together
  BlockFlag block;
  KeyState block_state;
  LayoutReading block_layout;  // of a flag that is beside no key: its library's; else none fits
  ServerTime now;

  // Of all keys, if they are one or are read together; else null.
  const KeyReading* only_reading() const;
  bool is_partial() const;  // some of it may be hidden from this user, or is only a guess
  bool exists() const;      // a key or the flag, as far as this user may know
};

struct InspectionOptions {
  Policy policy;  // limit 0: not given
  std::int64_t most_entries = 20;
};

Task<Inspection> inspect_limiter(Redis& redis, KeyReader& reader, LimiterKeys limiter,
                                 InspectionOptions options);

// The same limiter as a row of a table.
LimiterRow row_of(const Inspection& inspection, const Policy& policy);

// "20 of 20 used; blocked for 42.1 s; the oldest entry expires in 12.3 s". Empty if there is
// nothing.
std::string in_words(const Inspection& inspection, const Policy& policy);

}  // namespace rlctl
