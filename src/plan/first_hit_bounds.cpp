#include "plan/first_hit_bounds.h"

#include <algorithm>
#include <limits>

namespace rlctl {
namespace {

// `arrivals` sorted by low_us.
class FirstHits {
 public:
  FirstHits(const std::vector<Placement>& arrivals, std::int64_t window_us,
            std::int64_t tolerance_us)
      : arrivals_(arrivals),
        shortest_us_(window_us - tolerance_us),
        longest_us_(window_us + tolerance_us) {
    std::vector<Placement> by_high = arrivals;
    std::sort(by_high.begin(), by_high.end(),
              [](const Placement& a, const Placement& b) { return a.high_us < b.high_us; });
    for (const Placement& p : arrivals) lows_.push_back(p.low_us);
    for (const Placement& p : by_high) highs_.push_back(p.high_us);
    least_high_ = least_from(arrivals, &Placement::high_us);
    least_low_ = least_from(by_high, &Placement::low_us);
  }

  DenialRange run(std::int64_t limit) {
    DenialRange range;
    if (arrivals_.empty()) return range;
    from_us_ = lows_.front();
    to_us_ = least_high_.front();
    do {
      if (certain_) range.least += std::max<std::int64_t>(0, surely_inside() - limit);
      range.most += std::max<std::int64_t>(0, maybe_inside() - limit);
    } while (go_on());
    return range;
  }

 private:
  static std::vector<std::int64_t> least_from(const std::vector<Placement>& placements,
                                              std::int64_t Placement::*end) {
    std::vector<std::int64_t> least(placements.size() + 1, kOpenEnd);
    for (std::size_t i = placements.size(); i-- > 0;)
      least[i] = std::min(placements[i].*end, least[i + 1]);
    return least;
  }

  static std::size_t first_at(const std::vector<std::int64_t>& instants, std::int64_t us) {
    return static_cast<std::size_t>(std::lower_bound(instants.begin(), instants.end(), us) -
                                    instants.begin());
  }

  // After the end of the window before, and before the end of this one.
  std::int64_t surely_inside() const {
    const std::int64_t end_us = from_us_ + shortest_us_;
    std::int64_t inside = 0;
    for (std::size_t i = first_at(lows_, after_us_); i < lows_.size() && lows_[i] < end_us; ++i)
      inside += arrivals_[i].high_us < end_us;
    return inside;
  }

  std::int64_t maybe_inside() const {
    return static_cast<std::int64_t>(first_at(lows_, to_us_ + longest_us_)) -
           static_cast<std::int64_t>(first_at(highs_, from_us_));
  }

  // False: there is no other window.
  bool go_on() {
    const std::int64_t earliest_us = from_us_ + shortest_us_;
    after_us_ = to_us_ + longest_us_;
    from_us_ = std::max(earliest_us, least_low_[first_at(highs_, earliest_us)]);
    if (from_us_ >= kOpenEnd) return false;
    to_us_ = least_high_[first_at(lows_, after_us_)];
    if (to_us_ >= kOpenEnd) {  // it may not come at all
      certain_ = false;
      to_us_ = highs_.back();
    }
    return true;
  }

  const std::vector<Placement>& arrivals_;
  std::int64_t shortest_us_;
  std::int64_t longest_us_;
  std::vector<std::int64_t> lows_;        // ascending
  std::vector<std::int64_t> highs_;       // ascending
  std::vector<std::int64_t> least_high_;  // of the intervals that begin at lows_[i] or later
  std::vector<std::int64_t> least_low_;   // of the intervals that end at highs_[i] or later
  // This window begins in [from_us_, to_us_], and the one before is over at after_us_.
  std::int64_t from_us_ = 0;
  std::int64_t to_us_ = 0;
  std::int64_t after_us_ = std::numeric_limits<std::int64_t>::min();
  bool certain_ = true;
};

}  // namespace

DenialRange first_hit_range(const std::vector<Placement>& arrivals, std::int64_t window_us,
                            std::int64_t limit, std::int64_t tolerance_us) {
  return FirstHits(arrivals, window_us, tolerance_us).run(limit);
}

}  // namespace rlctl
