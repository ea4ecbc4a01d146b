#include <algorithm>

#include "verdict/track/track_kinds.h"

namespace rlctl {
namespace {

// A bucket that is refilled by steps. Who takes from a full bucket starts a clock: its first refill
// comes within a step, not sooner than a step after the last one; the others follow until it is
// full.
class StepsTrack : public RuleTrack {
 public:
  StepsTrack(const Rule& rule, const JointFrame& frame)
      : RuleTrack(rule, frame),
        step_(scaled(rule.step_us)),
        refill_(std::max<std::int64_t>(1, rule.refill_per_step())),
        clocks_{{}} {}

  // Before the refill that the last entry needed.
  std::size_t opened_after(std::size_t entered) const override {
    const Clock& now = clocks_[entered];
    const auto is_earlier = [&](const Clock& clock) {
      return clock.first != now.first || refills_of(clock) < refills_of(now);
    };
    const auto end = clocks_.begin() + static_cast<std::ptrdiff_t>(entered);
    const auto same = std::partition_point(clocks_.begin(), end, is_earlier);
    return same == clocks_.begin() ? 0 : static_cast<std::size_t>(same - clocks_.begin()) - 1;
  }

 protected:
  void room(const Step& step, Ways& ways) const override {
    if (step.cost > rule_.capacity) return;
    const Clock& clock = clocks_.back();
    Way way;
    way.change = Change::enter;
    const std::int64_t needed = refills_for(clock.used + step.cost - rule_.capacity);
    const std::int64_t to_be_full = refills_for(clock.used);
    if (needed < to_be_full) {
      if (needed > 0) way.with(not_before(clock, needed, step));
      ways.push_back(way.with(before(clock, to_be_full, step)));
    }
    way = {};
    way.change = Change::open;
    if (clock.first != kNoNode) way.with(not_before(clock, to_be_full, step));
    way.unlikely = (to_be_full * refill_ - clock.used) * step_ / refill_;
    ways.push_back(way);
  }

  // Later admissions leave no more tokens, and do not move the clock before it is full.
  void full(const Step& step, std::size_t entered, Ways& ways) const override {
    if (step.cost > rule_.capacity) return add_denied(step, Way(), ways);
    const Clock& clock = clocks_[entered];
    const std::int64_t needed = refills_for(clock.used + step.cost - rule_.capacity);
    if (needed > 0) add_denied(step, Way().with(before(clock, needed, step)), ways);
  }

  void enter(const Step& step, const Way& way) override {
    RuleTrack::enter(step, way);
    Clock clock = way.change == Change::open ? started(step, clocks_.back()) : clocks_.back();
    clock.used += step.cost;
    clocks_.push_back(clock);
  }
  void leave() override {
    clocks_.pop_back();
    RuleTrack::leave();
  }

 private:
  struct Clock {
    Node first = kNoNode;   // its first refill; kNoNode: it has always been full
    std::int64_t used = 0;  // since it was full
  };

  // The number of refills that bring so many tokens.
  std::int64_t refills_for(std::int64_t tokens) const {
    return tokens <= 0 ? 0 : (tokens - 1) / refill_ + 1;
  }
  std::int64_t refills_of(const Clock& clock) const {
    return refills_for(clock.used - rule_.capacity);
  }
  Bound before(const Clock& clock, std::int64_t refill, const Step& step) const {
    return later(step.node, clock.first, 1 - (refill - 1) * step_ - tolerance_);
  }
  Bound not_before(const Clock& clock, std::int64_t refill, const Step& step) const {
    return later(clock.first, step.node, (refill - 1) * step_ - tolerance_);
  }

  Clock started(const Step& step, const Clock& last) const {
    Instants& instants = *frame_.instants;
    const Instant latest = instants.high(step.node) + step_ + tolerance_;
    const Clock clock{instants.add(-kEver, latest), 0};
    instants.require(later(step.node, clock.first, 1));
    instants.require(later(clock.first, step.node, -step_ - tolerance_));
    if (last.first != kNoNode)
      instants.require(later(last.first, clock.first, refills_for(last.used) * step_ - tolerance_));
    return clock;
  }

  Instant step_;
  std::int64_t refill_;
  std::vector<Clock> clocks_;  // before all entries, and after each
};

}  // namespace

std::unique_ptr<RuleTrack> make_steps_track(const Rule& rule, const JointFrame& frame) {
  return std::make_unique<StepsTrack>(rule, frame);
}

}  // namespace rlctl
