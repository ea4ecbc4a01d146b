// UnreadKeys: of how many keys that a search has found the content, or the expiry, can't be read,
// and the first reason of each.
// Memory: a fingerprint of each (inspect/fingerprints.h). Pure; one thread.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/fingerprints.h"
#include "inspect/key_state.h"

namespace rlctl {

class UnreadKeys {
 public:
  // Counts the key if it could not be read. Keys may come twice.
  void add(const KeyState& state);

  // "3 keys can't be read: NOPERM … (this grants it: …)", "the expiry of 3 keys can't be read: …",
  // or both, escaped; empty: all could be read.
  std::string in_words() const;

 private:
  struct Tally {
    std::int64_t keys = 0;
    std::string first_problem;

    void add(const std::string& problem);
    std::string in_words(const char* of) const;
  };

  Fingerprints met_;
  Tally unread_;
  Tally without_expiry_;
};

}  // namespace rlctl
