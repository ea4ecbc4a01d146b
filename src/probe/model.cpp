#include "probe/model.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace rlctl {
namespace {

// Of the requests that lead to a penalty: they may be counted for less time than it lasts.
constexpr std::int64_t kLeastCountedUs = 10'000;

}  // namespace

std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

Model::Model(const Hypothesis& hypothesis, std::int64_t time_us, Leaning leaning)
    : row_(&hypothesis.row()),
      kind_(row_->meaning),
      limit_(hypothesis.limit),
      time_us_(time_us),
      counted_for_us_(kind_ == LimiterKind::penalty && leaning == Leaning::lenient
                          ? std::min(kLeastCountedUs, time_us)
                          : time_us),
      counts_for_long_(kind_ == LimiterKind::penalty && leaning == Leaning::strict),
      rounds_down_(hypothesis.rounds_down),
      edge_us_(hypothesis.edge_us),
      blocked_until_us_(kNoTime),
      tokens_us_(hypothesis.limit * time_us),
      refilled_us_(kNoTime) {
  if (hypothesis.beside)
    beside_.emplace_back(*hypothesis.beside, hypothesis.beside->time_us(), leaning);
}

// A division takes longer than all the rest, and most times are in this window or in the next one.
std::int64_t Model::windows_after(std::int64_t from_us, std::int64_t now_us) const {
  const std::int64_t into_us = now_us - from_us;
  if (into_us >= 0 && into_us < 2 * time_us_) return into_us < time_us_ ? 0 : 1;
  return floor_div(into_us, time_us_);
}

std::int64_t Model::tokens_us(std::int64_t now_us) const {
  if (refilled_us_ == kNoTime) return tokens_us_;
  return std::min(limit_ * time_us_, tokens_us_ + std::max<std::int64_t>(0, now_us - refilled_us_));
}

double Model::estimate(std::int64_t now_us) const {
  if (is_fresh_) return 0;
  const std::int64_t ago = windows_after(window_us_, now_us);
  const auto of_older = static_cast<double>(ago <= 0 ? older_used_ : ago == 1 ? used_ : 0);
  const auto of_present = static_cast<double>(ago <= 0 ? used_ : 0);
  const std::int64_t into_us = now_us - window_us_ - ago * time_us_;
  return of_present + of_older * (1 - static_cast<double>(into_us) / static_cast<double>(time_us_));
}

bool Model::has_room(std::int64_t now_us) const {
  const auto has = [&](const Model& other) { return other.has_room(now_us); };
  return rule_has_room(now_us) && std::ranges::all_of(beside_, has);
}

bool Model::rule_has_room(std::int64_t now_us) const {
  const auto fits = [&] {
    return std::ssize(counted_us_) < limit_ || counted_us_[oldest_] <= now_us - time_us_;
  };
  switch (kind_) {
    case LimiterKind::sliding:
    case LimiterKind::sliding_denied:
      return fits();
    case LimiterKind::first_hit:
      return is_fresh_ || now_us >= edge_us_ + time_us_ || used_ < limit_;
    case LimiterKind::fixed:
      return is_fresh_ || used_ < limit_ || windows_after(window_us_, now_us) != 0;
    case LimiterKind::bucket:
      return tokens_us(now_us) >= time_us_;
    case LimiterKind::penalty:
      if (now_us < blocked_until_us_ || counts_for_long_)
        return now_us >= blocked_until_us_ && fits();
      return is_fresh_ || now_us >= edge_us_ + counted_for_us_ || used_ < limit_;
    default:
      const double used = estimate(now_us);
      return (rounds_down_ ? std::floor(used + 1e-9) : used) + 1 <=
             static_cast<double>(limit_) + 1e-9;
  }
}

void Model::note(bool admitted, std::int64_t now_us) {
  for (Model& other : beside_) other.note(admitted, now_us);
  if (admitted) return admit(now_us);
  if (row_->counts_denied) admit(now_us);
  if (kind_ == LimiterKind::penalty && now_us >= blocked_until_us_) {
    blocked_until_us_ = now_us + time_us_;
    is_fresh_ = true;
  }
}

// A counter from the first hit goes on by whole windows, unless it was idle for two.
void Model::count(std::int64_t now_us) {
  if (is_fresh_) window_us_ = edge_us_;
  const std::int64_t ago = windows_after(window_us_, now_us);
  if (is_fresh_ || ago > 0) {
    older_used_ = !is_fresh_ && ago == 1 ? used_ : 0;
    used_ = 0;
    const bool begins_with_hit = !row_->aligned && (is_fresh_ || ago > 1);
    window_us_ = begins_with_hit ? now_us : window_us_ + ago * time_us_;
  }
  ++used_;
  is_fresh_ = false;
}

void Model::admit(std::int64_t now_us) {
  if (row_->is_counter || kind_ == LimiterKind::fixed) return count(now_us);
  switch (counts_for_long_ ? LimiterKind::sliding : kind_) {
    case LimiterKind::sliding:
    case LimiterKind::sliding_denied:
      if (std::ssize(counted_us_) < limit_) return counted_us_.push_back(now_us);
      counted_us_[oldest_] = now_us;
      if (++oldest_ == counted_us_.size()) oldest_ = 0;
      return;
    case LimiterKind::bucket:
      tokens_us_ = std::max<std::int64_t>(0, tokens_us(now_us) - time_us_);
      refilled_us_ = now_us;
      return;
    default:  // a window from its first hit
      if (is_fresh_ || now_us >= edge_us_ + counted_for_us_ || used_ >= limit_) {
        edge_us_ = now_us;
        used_ = 0;
        is_fresh_ = false;
      }
      ++used_;
      blocked_until_us_ = kNoTime;
  }
}

}  // namespace rlctl
