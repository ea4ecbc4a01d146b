#include "plan/exact_limiter.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "base/units.h"
#include "verdict/algorithm/window_rule.h"

namespace rlctl {

// One rule. Units of a window in the order in which they leave it.
class ExactLimiter::Track {
 public:
  explicit Track(const Rule& rule)
      : rule_(rule), full_us_(Wide{rule.capacity} * rule.window_us), tokens_us_(full_us_) {}

  bool look_for_room(std::int64_t now_us, std::int64_t cost) {
    return has_room_ = finds_room(now_us, cost);
  }
  bool has_room() const { return has_room_; }

  void admit(std::int64_t now_us, std::int64_t end_us, std::int64_t cost) {
    if (rule_.kind == RuleKind::bucket) {
      tokens_us_ -= Wide{cost} * rule_.window_us;
      return;
    }
    if (rule_.kind == RuleKind::first_hit && now_us >= window_end_us_)
      window_end_us_ = now_us + rule_.window_us;
    used_ += cost;
    for (std::int64_t unit = 0; unit < cost && rule_.kind != RuleKind::first_hit; ++unit)
      rule_.kind == RuleKind::in_flight ? ends_.push(end_us) : leaving_.push_back(leaves(now_us));
  }

  void deny(std::int64_t now_us, std::int64_t cost) {
    if (rule_.counts_denied && rule_.has_window() && rule_.kind != RuleKind::bucket)
      admit(now_us, now_us, cost);
    if (rule_.block_us > 0 && now_us >= blocked_until_us_)
      blocked_until_us_ = now_us + rule_.block_us;
  }

 private:
  bool finds_room(std::int64_t now_us, std::int64_t cost) {
    if (now_us < blocked_until_us_) return false;
    switch (rule_.kind) {
      case RuleKind::bucket:
        refill(now_us);
        return tokens_us_ >= Wide{cost} * rule_.window_us;
      case RuleKind::first_hit:
        if (now_us >= window_end_us_) used_ = 0;
        break;
      case RuleKind::in_flight:
        while (!ends_.empty() && ends_.top() <= now_us) release();
        break;
      default:
        while (!leaving_.empty() && leaving_.front() <= now_us) leave();
    }
    return used_ + cost <= rule_.limit;
  }

  std::int64_t leaves(std::int64_t now_us) const {
    const WindowRule window =
        rule_.kind == RuleKind::fixed
            ? WindowRule::aligned(rule_.window_us, rule_.phase_us.value_or(0), 0)
            : WindowRule::sliding(rule_.window_us, 0);
    return window.end(now_us);
  }

  void leave() {
    leaving_.pop_front();
    --used_;
  }
  void release() {
    ends_.pop();
    --used_;
  }

  void refill(std::int64_t now_us) {
    if (refilled_us_ != kNoTime)
      tokens_us_ = std::min(full_us_, tokens_us_ + Wide{rule_.limit} * (now_us - refilled_us_));
    refilled_us_ = now_us;
  }

  Rule rule_;
  bool has_room_ = false;  // for what it looked at last
  std::int64_t used_ = 0;
  std::deque<std::int64_t> leaving_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends_;
  std::int64_t window_end_us_ = kNoTime;
  std::int64_t blocked_until_us_ = kNoTime;
  Wide full_us_;  // of a bucket: tokens times the window
  Wide tokens_us_;
  std::int64_t refilled_us_ = kNoTime;
};

ExactLimiter::ExactLimiter(const Rules& rules) : tracks_(rules.begin(), rules.end()) {}

ExactLimiter::~ExactLimiter() = default;

bool ExactLimiter::admits(std::int64_t now_us, std::int64_t end_us, std::int64_t cost) {
  bool all = true;
  for (Track& track : tracks_) all = track.look_for_room(now_us, cost) && all;
  for (Track& track : tracks_)
    if (all)
      track.admit(now_us, end_us, cost);
    else if (!track.has_room())
      track.deny(now_us, cost);
  return all;
}

}  // namespace rlctl
