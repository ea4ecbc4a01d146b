// Work: how far something long has come. Told by who does it, shown by who started it
// (cli/output/progress.h), so that what is pure stays pure. Plain values.
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
  std::int64_t all = 0;  // 0: not known
  Unit unit = Unit::count;
};

// Told as often as something is done, thousands of times a second: it must be cheap.
using WorkWatcher = std::function<void(const Work&)>;

// "judging: 12,000 of 100,000 keys, 12 %, 45,000/s, 2s left", after so long. What is not known yet,
// or can't be, is left out.
std::string work_in_words(const Work& work, std::int64_t elapsed_us);

}  // namespace rlctl
