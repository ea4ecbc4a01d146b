#include "verdict/explore_result.h"

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

}  // namespace rlctl
