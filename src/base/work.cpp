#include "base/work.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace rlctl {
namespace {

// Before this time, a rate is only a guess.
constexpr std::int64_t kSoonestRateUs = 1'000'000;

std::string amount(std::int64_t amount, Work::Unit unit) {
  if (unit == Work::Unit::bytes) return format_bytes(amount);
  return unit == Work::Unit::time_us ? format_countdown(amount) : format_count(amount);
}

}  // namespace

std::string work_in_words(const Work& work, std::int64_t elapsed_us) {
  // `all` may be an estimate that is too small.
  const std::int64_t done = work.all > 0 ? std::min(work.done, work.all) : work.done;
  std::string text = work.what.empty() ? "" : work.what + ": ";
  text += amount(done, work.unit);
  if (work.all > 0) text += " of " + amount(work.all, work.unit);
  if (!work.things.empty()) text += " " + work.things;
  if (work.all > 0)
    text += fmt::format(", {} %", static_cast<std::int64_t>(100.0 * static_cast<double>(done) /
                                                            static_cast<double>(work.all)));
  if (elapsed_us < kSoonestRateUs || done <= 0) return text;
  const double per_us = static_cast<double>(done) / static_cast<double>(elapsed_us);
  const auto per_second = static_cast<std::int64_t>(per_us * 1e6);
  if (work.unit != Work::Unit::time_us && per_second > 0)
    text += ", " + amount(per_second, work.unit) + "/s";
  if (work.all > 0)
    text +=
        ", " +
        format_countdown(static_cast<std::int64_t>(static_cast<double>(work.all - done) / per_us)) +
        " left";
  return text;
}

}  // namespace rlctl
