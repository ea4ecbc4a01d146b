// OwnState: whether what a key holds is the state of one script, so that a decision does not
// overwrite what somebody else wrote. Reads only; what this user may not read is not checked. Keeps
// the reader of the script's manifest, which may be asked any number of times; borrows the
// registry. One thread.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "inspect/key_reading.h"
#include "io/redis/redis.h"
#include "limiter/registry.h"

namespace rlctl {

class OwnState {
 public:
  // `algo_option`: how the user names an algorithm there, for what to do about a stranger.
  OwnState(const Registry& registry, const Script& script, std::string algo_option = "--algo");

  // Whether the script's manifest tells what is its own; else there are no strangers.
  bool is_told() const { return reader_.has_value(); }

  // Why it must not be decided about, and what to do. Empty: there is no such key, it holds what
  // the script stores, or the script's manifest does not tell what that is.
  std::optional<Error> stranger(const KeyState& state);

  // The same for what the key holds now. Throws Error(Exit::target) if no answer came.
  Task<std::optional<Error>> stranger_at(Redis& redis, std::string key);

 private:
  const Registry& registry_;
  std::string name_;
  std::string algo_option_;
  std::optional<KeyReader> reader_;  // empty: the manifest does not tell its state
  std::optional<KeyReader> of_all_;  // says what a stranger holds; made for the first one
};

}  // namespace rlctl
