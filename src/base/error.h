// Error: the only way a command stops early: what went wrong, what to do about it, and the exit
// code. A limiter's failure is not an Error but data (see Outcome in log/record.h).
//
// The room base: text, numbers, time as text, JSON with line and column, tables. All rooms use it.
// - It includes no other room, only the C++ library, fmt and nlohmann/json.
// - It must not know rate limits. It is pure: no clock, file, socket or coroutine.
// - Text from people goes through it in both directions: readers name the field and show a valid
//   value, writers escape everything that came from outside.
//
// Begin with this file. Then: units.h (durations, counts, rates), words.h (the words of an enum),
// escape.h, object_fields.h (a JSON object as checked values), table.h.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace rlctl {

enum class Exit : int {
  done = 0,           // or: holds
  violated = 1,       // also: `hit` was denied, `--check` failed
  usage = 2,          // bad input; nothing was sent
  target = 3,         // the target or the run failed
  inconclusive = 4,   // nothing is proven, or only a part was done
  report = 5,         // a report could not be written
  interrupted = 130,  // the recorded part is still written; never a pass
};

// From the best to the worst: of several results, the worst one gives the exit code.
inline constexpr Exit kExitsFromBest[] = {Exit::done,       Exit::inconclusive, Exit::target,
                                          Exit::violated,   Exit::usage,        Exit::report,
                                          Exit::interrupted};
constexpr Exit worse_of(Exit a, Exit b) {
  const auto rank = [](Exit exit) { return std::ranges::find(kExitsFromBest, exit); };
  return rank(a) > rank(b) ? a : b;
}

// A row of an enum of results (base/words.h): its word and its exit code.
template <typename Result>
struct ResultWord {
  const char* name;
  Result meaning;
  Exit exit;
};

// `what` is one line without a full stop; `hint` says what to do next and may be empty.
// Both are shown on a terminal: the caller must escape text from outside (base/escape.h).
class Error : public std::exception {
 public:
  Error(Exit exit, std::string what, std::string hint = {})
      : exit_(exit), what_(std::move(what)), hint_(std::move(hint)) {}

  const char* what() const noexcept override { return what_.c_str(); }
  const std::string& hint() const noexcept { return hint_; }
  Exit exit() const noexcept { return exit_; }

 private:
  Exit exit_;
  std::string what_;
  std::string hint_;
};

}  // namespace rlctl
