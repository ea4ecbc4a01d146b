#include "core/explore_result.h"

#include <algorithm>

namespace rlctl {

ScheduleCount& ScheduleCount::operator+=(const ScheduleCount& other) {
  value_ = other.value_ > ~Wide{0} - value_ ? ~Wide{0} : value_ + other.value_;
  return *this;
}

std::string ScheduleCount::digits() const {
  std::string text;
  for (Wide rest = value_; rest > 0; rest /= 10)
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (text.empty()) return "0";
  std::reverse(text.begin(), text.end());
  return text;
}

ScheduleCounts& ScheduleCounts::operator+=(const ScheduleCounts& other) {
  schedules += other.schedules;
  violating += other.violating;
  refusing += other.refusing;
  littering += other.littering;
  return *this;
}

const char* name_of(ExploreFinding finding) {
  switch (finding) {
    case ExploreFinding::over_admission:
      return "over_admission";
    case ExploreFinding::blocked_for_ever:
      return "blocked_for_ever";
    case ExploreFinding::key_without_expiry:
      return "key_without_expiry";
    case ExploreFinding::false_denial:
      break;
  }
  return "false_denial";
}

const char* name_of(Coverage coverage) {
  switch (coverage) {
    case Coverage::exhaustive:
      return "exhaustive";
    case Coverage::preemptions:
      return "preemptions";
    case Coverage::random:
      return "random";
    case Coverage::replay:
      break;
  }
  return "replay";
}

}  // namespace rlctl
