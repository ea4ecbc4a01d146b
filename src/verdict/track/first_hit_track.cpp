#include <algorithm>
#include <utility>

#include "verdict/track/track_kinds.h"

namespace rlctl {
namespace {

// The first request after the end of a window opens the next one.
class FirstHitTrack : public RuleTrack {
 public:
  FirstHitTrack(const Rule& rule, const JointFrame& frame)
      : RuleTrack(rule, frame),
        lasts_{scaled(rule.window_us) - tolerance_, scaled(rule.window_us) + tolerance_ - 1} {}

  // The window began too early: it ended before the denial, or it was not full then, and the denial
  // belongs to the one before.
  std::optional<Wait> to_wait(const Step& denial, std::size_t entered) const override {
    for (;;) {
      const Window* window = window_after(entered);
      if (window == nullptr) return {};
      const Node opener = window->opened_by;
      if (used(*window, entered) + denial.cost > rule_.limit)
        return Wait{opener, inside(*window, denial).least(at(denial))};
      if (frame_.instants->at(opener) < at(denial)) return Wait{opener, at(denial)};
      entered = window->first;
    }
  }

 protected:
  void room(const Step& step, Ways& ways) const override {
    if (step.cost > rule_.limit) return;
    const Window* window = window_after(entries());
    if (window != nullptr && used(*window, entries()) + step.cost <= rule_.limit)
      add_entering(*window, step, Way(), ways);
    add_unseen(step, Way(), ways);
    add_opening(step, Way(), ways);
  }

  void full(const Step& step, std::size_t entered, Ways& ways) const override {
    const Window* window = window_after(entered);
    if (window != nullptr && used(*window, entered) + step.cost > rule_.limit) {
      Way way;
      const Node next = opener_after(entered);
      if (next != kNoNode) way.with(later(step.node, next, 0));
      if (rule_.counts_denied)
        add_entering(*window, step, way, ways);
      else
        ways.push_back(within(*window, step, way));
    }
    if (step.cost > rule_.limit) add_denied(step, Way(), ways);
  }

  // If its cost is above the limit or it is blocked, it may open a window and count there, or not.
  void add_denied(const Step& step, Way way, Ways& ways) const override {
    if (!rule_.counts_denied) {
      ways.push_back(way);
      return add_opening(step, way, ways);
    }
    const Window* window = window_after(entries());
    if (window != nullptr) add_entering(*window, step, way, ways);
    add_unseen(step, way, ways);
    add_opening(step, way, ways);
    if (step.cost > rule_.limit || rule_.block_us > 0) ways.push_back(way);
  }

  std::size_t opened_after(std::size_t entered) const override {
    const Window* window = window_after(entered);
    return window == nullptr ? 0 : window->first;
  }

  void enter(const Step& step, const Way& way) override {
    const Node opener = way.change == Change::enter    ? windows_.back().opened_by
                        : way.change == Change::unseen ? frame_.instants->add(unseen_window(step))
                                                       : step.node;
    RuleTrack::enter(step, way);
    const bool goes_on = way.change == Change::enter;
    windows_.push_back({opener, goes_on ? windows_.back().first : entries() - 1});
  }
  void leave() override {
    windows_.pop_back();
    RuleTrack::leave();
  }

 private:
  struct Window {
    Node opened_by = kNoNode;
    std::size_t first = 0;  // its first entry
  };

  const Window* window_after(std::size_t entered) const {
    return entered == 0 ? nullptr : &windows_[entered - 1];
  }
  // What opened the next window after so many entries.
  Node opener_after(std::size_t entered) const {
    for (std::size_t i = entered; i < windows_.size(); ++i)
      if (windows_[i].first == i) return windows_[i].opened_by;
    return kNoNode;
  }
  std::int64_t used(const Window& window, std::size_t entered) const {
    return sum(window.first, entered);
  }
  Bound inside(const Window& window, const Step& step) const {
    return later(step.node, window.opened_by, -lasts_.longest);
  }
  Way within(const Window& window, const Step& step, Way way) const {
    way.unlikely = std::max<Instant>(0, past_end(window, step));
    return way.with(inside(window, step));
  }
  void add_entering(const Window& window, const Step& step, Way way, Ways& ways) const {
    way.change = Change::enter;
    ways.push_back(within(window, step, std::move(way)));
  }
  void add_opening(const Step& step, Way way, Ways& ways) const {
    way.change = Change::open;
    if (const Window* window = window_after(entries())) {
      way.unlikely = std::max<Instant>(0, -past_end(*window, step));
      way.with(later(window->opened_by, step.node, lasts_.shortest));
    }
    ways.push_back(way);
  }
  Gap unseen_window(const Step& step) const {
    const Node before = windows_.empty() ? kNoNode : windows_.back().opened_by;
    return unseen(step, entries(), before, lasts_);
  }
  void add_unseen(const Step& step, Way way, Ways& ways) const {
    if (!may_be_unseen(step, lasts_)) return;
    way.change = Change::unseen;
    for (const Bound& bound : unseen_window(step).bounds()) way.with(bound);
    ways.push_back(way);
  }
  // How long after the window's end, as it would be without the tolerance. Windows that are all
  // longer than that leave the limiter's own windows behind.
  Instant past_end(const Window& window, const Step& step) const {
    return at(step) - frame_.instants->at(window.opened_by) - scaled(rule_.window_us);
  }

  Lasts lasts_;
  std::vector<Window> windows_;  // one after each entry
};

}  // namespace

std::unique_ptr<RuleTrack> make_first_hit_track(const Rule& rule, const JointFrame& frame) {
  return std::make_unique<FirstHitTrack>(rule, frame);
}

}  // namespace rlctl
