#include "verdict/outcome/explore_result.h"

#include <algorithm>
#include <cmath>

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
  leaking += other.leaking;
  return *this;
}

// Each run finds it with a probability of at least 1 / (n * k^(d-1)).
double RandomRuns::log10_missed(int race_depth) const {
  const double found =
      1 / (static_cast<double>(threads) * std::pow(static_cast<double>(steps), race_depth - 1));
  const auto of_depth = static_cast<double>(counted.at(static_cast<std::size_t>(race_depth) - 1));
  return found < 1 ? of_depth * std::log1p(-found) / std::log(10.0) : -of_depth * 300;
}

}  // namespace rlctl
