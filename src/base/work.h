// Work: the progress of a long task. The code that does the task reports it, and the caller shows
// it (cli/output/progress.h), so that pure code stays pure. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace rlctl {

struct Work {
  enum class Unit : std::uint8_t { count, bytes, time_us };

  std::string what;    // "reading access.log": escaped
  std::string things;  // "keys", with Unit::count
  std::int64_t done = 0;
  std::int64_t all = 0;  // 0: unknown
  Unit unit = Unit::count;
};

// Called thousands of times per second, so it must be fast.
using WorkWatcher = std::function<void(const Work&)>;

// "judging: 12,000 of 100,000 keys, 12 %, 45,000/s, 2s left", after `elapsed_us`. Unknown parts are
// left out.
std::string work_in_words(const Work& work, std::int64_t elapsed_us);

}  // namespace rlctl
