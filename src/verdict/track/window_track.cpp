#include "verdict/track/track_kinds.h"

namespace rlctl {
namespace {

// An admission counts until the end of its window.
class WindowTrack : public RuleTrack {
 public:
  WindowTrack(const Rule& rule, const JointFrame& frame)
      : RuleTrack(rule, frame),
        for_admissions_(window(-tolerance_)),
        for_denials_(window(tolerance_)) {}

  std::optional<Wait> to_wait(const Step& denial, std::size_t entered) const override {
    if (denial.cost > rule_.limit) return {};
    const std::size_t last = last_in_the_way(denial.cost, rule_.limit, entered);
    if (last == entered) return {};
    return Wait{entry(last), for_denials_.earliest_counting_at(at(denial))};
  }

 protected:
  void room(const Step& step, Ways& ways) const override {
    if (step.cost > rule_.limit) return;
    Way way;
    const std::size_t last = last_in_the_way(step.cost, rule_.limit, entries());
    if (last < entries()) way.with({entry(last), step.node, 0, Bound::Via::end, &for_admissions_});
    way.change = Change::enter;
    ways.push_back(way);
  }

  void full(const Step& step, std::size_t entered, Ways& ways) const override {
    Way way;
    if (step.cost <= rule_.limit) {
      const std::size_t last = last_in_the_way(step.cost, rule_.limit, entered);
      if (last == entered) return;
      way.with({step.node, entry(last), 0, Bound::Via::count, &for_denials_});
    }
    add_denied(step, way, ways);
  }

 private:
  WindowRule window(Instant stretch) const {
    const Instant width = scaled(rule_.window_us);
    if (!rule_.row().takes_phase)
      return WindowRule::sliding(width, stretch + (frame_.closed ? scaled(1) : 0));
    const std::int64_t phase_us = rule_.phase_us.value_or(0) - frame_.base_us;
    return WindowRule::aligned(width, scaled(phase_us % rule_.window_us), stretch, scaled(1));
  }

  WindowRule for_admissions_;
  WindowRule for_denials_;
};

}  // namespace

std::unique_ptr<RuleTrack> make_window_track(const Rule& rule, const JointFrame& frame) {
  return std::make_unique<WindowTrack>(rule, frame);
}

}  // namespace rlctl
