// Survey: which limiters of a whole Redis are worth a closer look, collected while SCAN runs: all
// that are blocked or stuck, perhaps or for certain, or else some: the most urgent. Memory: the
// fingerprint of each limiter (inspect/fingerprints.h), and the names of those chosen. Pure; one
// thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/fingerprints.h"
#include "inspect/key_reading.h"
#include "inspect/layouts.h"
#include "inspect/limiter_row.h"
#include "inspect/unread_keys.h"

namespace rlctl {

// What a key must show so that its limiter is chosen.
struct Wanted {
  bool stuck = false;
  bool blocked = false;
  bool any() const { return !stuck && !blocked; }
};

class Survey {
 public:
  // Chooses the `most` most urgent limiters, by name if equally urgent. All if they must show
  // something. `policy`: as for an Overview. Borrows the layouts.
  Survey(Wanted wanted, std::size_t most, const Layouts& layouts, Policy policy = {})
      : wanted_(wanted), most_(most), layouts_(layouts), policy_(std::move(policy)) {}

  // Keys may come in any order, and twice. True if the limiter of this one is among those chosen.
  bool add(const KeyState& state, const KeyReading& reading, std::int64_t now_us);

  struct Chosen {
    std::string name;  // of the limiter
    std::string key;   // the most used of its keys; its flag if no other was seen
  };
  std::vector<Chosen> chosen() const;                      // sorted by name
  std::int64_t limiters() const { return limiters_; }      // that were wanted
  std::int64_t other_keys() const { return other_keys_; }  // of no limiter
  const UnreadKeys& unread() const { return unread_; }

 private:
  struct Use {
    Urgency used;
    std::string_view name;  // in used_
    bool operator<(const Use& other) const {
      return used != other.used ? used > other.used : name < other.name;
    }
  };

  bool shows_what_is_wanted(const KeyState& state, const KeyReading& reading,
                            bool is_set_flag) const;
  bool choose(const std::string& name, const std::string& key, Urgency used);

  Wanted wanted_;
  std::size_t most_;
  const Layouts& layouts_;
  Policy policy_;
  Fingerprints met_, met_others_;
  struct MostUsed {
    Urgency used;
    std::string key;
  };
  std::unordered_map<std::string, MostUsed> used_;  // of those chosen
  std::set<Use> by_use_;
  std::int64_t limiters_ = 0;
  std::int64_t other_keys_ = 0;
  UnreadKeys unread_;
};

}  // namespace rlctl
