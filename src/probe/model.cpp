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
    : kind_(hypothesis.kind),
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

std::int64_t Model::window_of(std::int64_t now_us) const {
  return floor_div(now_us - edge_us_, time_us_);
}

std::int64_t Model::tokens_us(std::int64_t now_us) const {
  if (refilled_us_ == kNoTime) return tokens_us_;
  return std::min(limit_ * time_us_, tokens_us_ + std::max<std::int64_t>(0, now_us - refilled_us_));
}

double Model::estimate(std::int64_t now_us) const {
  if (is_fresh_) return 0;
  const std::int64_t ago = window_of(now_us) - window_;
  const auto of_older = static_cast<double>(ago <= 0 ? older_used_ : ago == 1 ? used_ : 0);
  const auto of_present = static_cast<double>(ago <= 0 ? used_ : 0);
  const std::int64_t into_us = now_us - edge_us_ - window_of(now_us) * time_us_;
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
      return is_fresh_ || window_of(now_us) != window_ || used_ < limit_;
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
  if (row_of(kind_).counts_denied) admit(now_us);
  if (kind_ == LimiterKind::penalty && now_us >= blocked_until_us_) {
    blocked_until_us_ = now_us + time_us_;
    is_fresh_ = true;
  }
}

// A counter from the first hit goes on by whole windows, unless it was idle for two.
void Model::count(std::int64_t now_us) {
  const bool from_hit = !row_of(kind_).aligned;
  const std::int64_t ago = is_fresh_ ? 2 : window_of(now_us) - window_;
  if (ago > 0) {
    older_used_ = ago == 1 ? used_ : 0;
    used_ = 0;
    if (from_hit && ago > 1) edge_us_ = now_us;
    window_ = window_of(now_us);
  }
  ++used_;
  is_fresh_ = false;
}

void Model::admit(std::int64_t now_us) {
  if (row_of(kind_).is_counter || kind_ == LimiterKind::fixed) return count(now_us);
  switch (counts_for_long_ ? LimiterKind::sliding : kind_) {
    case LimiterKind::sliding:
    case LimiterKind::sliding_denied:
      if (std::ssize(counted_us_) < limit_) return counted_us_.push_back(now_us);
      counted_us_[oldest_] = now_us;
      oldest_ = (oldest_ + 1) % counted_us_.size();
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
