// UnreadKeys: how many of the keys that a search has found can't be read, and the first reason.
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

  // "3 keys can't be read: NOPERM … (this grants it: …)", escaped; empty: all could be read.
  std::string in_words() const;

 private:
  Fingerprints met_;
  std::int64_t keys_ = 0;
  std::string first_problem_;
};

}  // namespace rlctl
