#include "run/leftovers.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"
#include "io/redis/keyspace.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

// Why some keys remain, and what to do about that reason. Both empty: none does.
struct Hindrance {
  std::string why;
  std::string hint;
};

Task<Hindrance> remove_all(Redis& redis, std::string pattern) {
  std::int64_t left = 0;
  std::string why;
  KeyScan scan(redis, std::move(pattern));
  while (!scan.done()) {
    const std::vector<std::string> found = co_await scan.next();
    for (const RemovedKey& key : co_await remove_keys(redis, found)) {
      if (key.what == Removal::removed || key.what == Removal::absent) continue;
      ++left;
      why = key.words;
    }
  }
  if (left == 0) co_return Hindrance();
  co_return Hindrance{counted(left, "key") + ": " + escape_for_terminal(why), hint_for_error(why)};
}

}  // namespace

std::string key_prefix_of_run(const std::string& run_id) { return "rlctl:" + run_id + ":"; }

Task<std::string> remove_keys_of_run(Redis& redis, std::string run_id, Endpoint endpoint) {
  const std::string pattern = "*" + key_prefix_of_run(run_id) + "*";
  Hindrance hindrance;
  try {
    hindrance = co_await remove_all(redis, pattern);
  } catch (const Error& error) {
    hindrance = {error.what(), error.hint()};
  }
  if (hindrance.why.empty()) co_return std::string();
  co_return fmt::format(
      "{}; {}: {}",
      with_hint(fmt::format("keys {} may remain ({})", pattern, hindrance.why), hindrance.hint),
      hindrance.hint.empty() ? "to remove them" : "then remove them",
      rlctl_command("reset " + shell_word(pattern) + " --any-data", endpoint));
}

}  // namespace rlctl
