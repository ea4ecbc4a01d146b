#include "run/leftovers.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

// Why some keys remain; empty: none does.
Task<std::string> remove_all(Redis& redis, std::string pattern) {
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
  co_return left == 0 ? why : counted(left, "key") + ": " + escape_for_terminal(why);
}

}  // namespace

std::string key_prefix_of_run(const std::string& run_id) { return "rlctl:" + run_id + ":"; }

Task<std::string> remove_keys_of_run(Redis& redis, std::string run_id, std::string server) {
  const std::string pattern = "*" + key_prefix_of_run(run_id) + "*";
  std::string why;
  try {
    why = co_await remove_all(redis, pattern);
  } catch (const Error& error) {
    why = error.what();
  }
  if (!why.empty())
    why =
        fmt::format("keys {} may remain ({}); to remove them: rlctl reset {} --any-data --redis {}",
                    pattern, why, shell_word(pattern), shell_word(server));
  co_return why;
}

}  // namespace rlctl
