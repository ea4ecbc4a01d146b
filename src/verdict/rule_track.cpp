#include "verdict/rule_track.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "verdict/held_track.h"
#include "verdict/judge_windows.h"

namespace rlctl {
namespace {

constexpr Instant kEver = RuleTrack::kEver;

Bound later(Node from, Node to, Instant plus) { return {.from = from, .to = to, .plus = plus}; }

// An admission counts until the end of its window.
class WindowTrack : public RuleTrack {
 public:
  WindowTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame)
      : RuleTrack(rule, options, frame),
        for_admissions_(window(options, -tolerance_)),
        for_denials_(window(options, tolerance_)) {}

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
  WindowRule window(const JudgeOptions& options, Instant stretch) const {
    const Instant width = scaled(rule_.window_us);
    if (!rule_.row().takes_phase)
      return WindowRule::sliding(width, stretch + (options.closed ? scaled(1) : 0));
    const std::int64_t phase_us = rule_.phase_us.value_or(0) - frame_.base_us;
    return WindowRule::aligned(width, scaled(phase_us % rule_.window_us), stretch, scaled(1));
  }

  WindowRule for_admissions_;
  WindowRule for_denials_;
};

// The first request after the end of a window opens the next one.
class FirstHitTrack : public RuleTrack {
 public:
  FirstHitTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame)
      : RuleTrack(rule, options, frame),
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

// The virtual scheduling of GCRA (ITU-T I.371, annex A): the instant at which the bucket would be
// full again is a node of its own.
class BucketTrack : public RuleTrack {
 public:
  BucketTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame)
      : RuleTrack(rule, options, frame),
        token_(scaled(rule.window_us) / std::max<std::int64_t>(1, rule.limit)) {
    if (!frame.from_us) return;
    unseen_.push_back(unseen_take());
    full_at_.push_back(unseen_.back().full_at);
  }

  std::optional<Wait> to_wait(const Step& denial, std::size_t entered) const override {
    const Instant missing = 1 - excess(denial.cost) - tolerance_;
    const std::vector<Span> spans = spans_before(denial, entered, missing);
    if (spans.empty()) return {};
    return Wait{entry(spans.front().first), at(denial) + spans.front().plus};
  }

 protected:
  void room(const Step& step, Ways& ways) const override {
    if (excess(step.cost) > tolerance_) return;
    Way way;
    if (!full_at_.empty())
      way.with(later(full_at_.back(), step.node, excess(step.cost) - tolerance_));
    way.change = Change::enter;
    ways.push_back(way);
  }

  // Some span that ends at the denial must have used so much that the cost does not fit.
  void full(const Step& step, std::size_t entered, Ways& ways) const override {
    const Instant missing = 1 - excess(step.cost) - tolerance_;  // at least this, for a denial
    if (missing <= 0) return add_denied(step, Way(), ways);
    for (const Span& span : spans_before(step, entered, missing))
      add_denied(step, Way().with(later(step.node, entry(span.first), span.plus)), ways);
    for (const UnseenTake& take : unseen_) {
      if (take.entered > entered) break;
      Way way;
      if (take.entered > 0) way.with(later(entry(take.entered - 1), log_begins_, 0));
      way.with(later(step.node, take.full_at, missing - token_ * sum(take.entered, entered)));
      add_denied(step, way, ways);
    }
  }

  void enter(const Step& step, const Way& way) override {
    RuleTrack::enter(step, way);
    Instants& instants = *frame_.instants;
    const Node full = instants.add(-kEver, kEver);
    const bool goes_on = !busiest_.empty() && instants.at(full_at_.back()) > instants.at(step.node);
    busiest_.push_back(goes_on ? busiest_.back() : entries() - 1);
    instants.require(later(step.node, full, token_ * step.cost));
    if (!full_at_.empty()) instants.require(later(full_at_.back(), full, token_ * step.cost));
    full_at_.push_back(full);
    if (log_begins_ != kNoNode && at(step) <= instants.high(log_begins_)) may_be_taken_from(full);
  }
  void leave() override {
    if (!unseen_.empty() && unseen_.back().entered == entries()) unseen_.pop_back();
    full_at_.pop_back();
    busiest_.pop_back();
    RuleTrack::leave();
  }

 private:
  // Requests that the log does not show may have taken from it after so many entries, so that it is
  // full at that instant at the earliest.
  struct UnseenTake {
    Node full_at;
    std::size_t entered;
  };
  UnseenTake unseen_take() const {
    const Instant latest = placed(*frame_.from_us) + token_ * rule_.capacity;
    return {frame_.instants->add(-kEver, latest), entries()};
  }
  void may_be_taken_from(Node full) {
    constexpr std::size_t kMost = 16;
    if (unseen_.size() == kMost) return frame_.instants->give_up();
    unseen_.push_back(unseen_take());
    frame_.instants->require(later(unseen_.back().full_at, full, 0));
  }

  // How long after a full bucket's last drop this cost fits: negative, if it fits at once.
  Instant excess(std::int64_t cost) const { return token_ * (cost - rule_.capacity); }
  // A span from an admission to a denial that may have used too much, if the admission is not
  // before the denial plus this.
  struct Span {
    std::size_t first;
    Instant plus;
    Instant shortfall;  // how far that moves the admission
  };

  // The spans that move their first admission least. One that surely used too much is enough.
  std::vector<Span> spans_before(const Step& step, std::size_t entered, Instant missing) const {
    std::vector<Span> spans;
    if (entered == 0) return spans;
    const Instants& instants = *frame_.instants;
    const std::size_t busiest = busiest_[entered - 1];
    const auto add = [&](std::size_t first) {
      const Instant plus = missing - token_ * sum(first, entered);
      const Instant least = instants.at(step.node) + plus;
      if (least <= instants.high(entry(first)))
        spans.push_back({first, plus, std::max<Instant>(0, least - instants.at(entry(first)))});
      return instants.high(step.node) + plus <= instants.at(entry(first));
    };
    if (add(busiest)) return spans;
    for (std::size_t first = entered; first-- > 0;) {
      if (scans_left_-- <= 0) {
        frame_.instants->give_up();
        break;
      }
      if (first != busiest && add(first)) return {spans.back()};
      if (is_full_before(first)) break;
    }
    std::ranges::stable_sort(spans, {}, &Span::shortfall);
    if (spans.size() > frame_.most_spans) {
      frame_.instants->give_up();
      spans.resize(frame_.most_spans);
    }
    return spans;
  }

  // Whether the bucket is full before this entry, wherever the others are: longer spans do not
  // matter.
  bool is_full_before(std::size_t first) const {
    if (first == 0) return true;
    const Instants& instants = *frame_.instants;
    const Instant full = instants.high(entry(first - 1)) + token_ * rule_.capacity + tolerance_;
    return full < instants.at(entry(first));
  }

  static constexpr std::int64_t kMostScanned = 20'000'000;

  Instant token_;
  std::vector<Node> full_at_;
  std::vector<UnseenTake> unseen_;
  // Of each entry: where the span begins that ends with it and has used most, as the instants were
  // when it entered.
  std::vector<std::size_t> busiest_;
  // Entries that may still be looked at for spans: a bucket that is never full has one for each
  // pair of a denial and an admission.
  mutable std::int64_t scans_left_ = kMostScanned;
};

// A bucket that is refilled by steps. Who takes from a full bucket starts a clock: its first refill
// comes within a step, not sooner than a step after the last one; the others follow until it is
// full.
class StepsTrack : public RuleTrack {
 public:
  StepsTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame)
      : RuleTrack(rule, options, frame),
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

RuleTrack::RuleTrack(const Rule& rule, const JudgeOptions& options, const JointFrame& frame)
    : rule_(rule),
      tolerance_(options.tolerance_us * frame.scale),
      frame_(frame),
      block_lasts_{scaled(rule.block_us) - tolerance_, scaled(rule.block_us) + tolerance_} {
  if (!frame.from_us) return;
  const std::int64_t memory = memory_us(rule);
  if (memory < kOpenEnd / 4) memory_ = scaled(memory) + tolerance_;
  const Instant from = placed(*frame.from_us);
  log_begins_ = frame.instants->add(from, from);
}

Bound RuleTrack::while_unseen(const Step& step) const {
  return later(step.node, log_begins_, 1 - memory_);
}

std::int64_t RuleTrack::sum(std::size_t first, std::size_t last) const {
  if (first >= last) return 0;
  return entries_[last - 1].until - (first == 0 ? 0 : entries_[first - 1].until);
}

std::size_t RuleTrack::last_in_the_way(std::int64_t cost, std::int64_t limit,
                                       std::size_t entered) const {
  if (sum(0, entered) + cost <= limit) return entered;
  const std::int64_t all = entries_[entered - 1].until;
  // The first entry from which on all of them leave room; the one before it is in the way.
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(entered);
  const auto fits = std::partition_point(
      entries_.begin(), end, [&](const Entry& entry) { return all - entry.until + cost > limit; });
  return static_cast<std::size_t>(fits - entries_.begin());
}

bool minds_denials(const Rule& rule, std::int64_t cost) {
  const bool may_open = rule.kind == RuleKind::first_hit && cost > rule.limit;
  return rule.counts_denied || rule.block_us > 0 || may_open;
}

// In a block nothing is admitted.
Ways RuleTrack::to_admit(const Step& step) const {
  Ways ways;
  room(step, ways);
  if (block() == kNoNode) return ways;
  for (Way& way : ways) way.with(later(block(), step.node, block_lasts_.shortest));
  return ways;
}

Ways RuleTrack::to_deny(const Step& step, std::size_t entered) const {
  Ways ways;
  full(step, entered, ways);
  if (log_begins_ != kNoNode) add_other(step, Way().with(while_unseen(step)), ways);
  for (Way& way : ways) way.full = true;
  if (rule_.block_us > 0) {
    add_blocked_ways(step, ways);
  } else if (!frame_.alone) {
    add_other(step, Way(), ways);
  }
  return ways;
}

// With blocks: a denial starts one, or is made in one, or another rule explains it while this one
// has room.
void RuleTrack::add_blocked_ways(const Step& step, Ways& ways) const {
  for (Way& way : ways) way.block = BlockStart::here;
  Ways has_room;
  if (!frame_.alone) room(step, has_room);
  for (Way& way : has_room) {
    way.change = Change::none;
    add_other(step, way, ways);
  }
  if (block() != kNoNode) {
    for (Way& way : ways) way.with(later(block(), step.node, block_lasts_.shortest));
    Way blocked;
    blocked.full = true;
    add_denied(step, blocked.with(later(step.node, block(), -block_lasts_.longest)), ways);
  }
  if (may_be_unseen(step, block_lasts_)) add_unseen_blocks(step, ways);
}

// Within the tolerance of its end, a block may deny what comes after an admission.
void RuleTrack::add_unseen_blocks(const Step& step, Ways& ways) const {
  constexpr std::size_t kMost = 16;
  Instants& instants = *frame_.instants;
  for (std::size_t entered = entries();; --entered) {
    Way way;
    way.full = true;
    way.block = BlockStart::unseen;
    way.block_after = entered;
    way.bounds = unseen(step, entered, block(), block_lasts_).bounds();
    add_denied(step, way, ways);
    if (entered == 0 || instants.high(entry(entered - 1)) < at(step) - 2 * tolerance_) return;
    if (entries() - entered == kMost) return instants.give_up();
  }
}

bool RuleTrack::may_be_unseen(const Step& step, const Lasts& lasts) const {
  return log_begins_ != kNoNode && at(step) - lasts.longest <= frame_.instants->high(log_begins_);
}

Gap RuleTrack::unseen(const Step& step, std::size_t entered, Node before,
                      const Lasts& lasts) const {
  Gap began;
  began.low = {{step.node, -lasts.longest}};
  if (entered > 0) began.low.push_back({entry(entered - 1), 0});
  if (before != kNoNode) began.low.push_back({before, lasts.shortest});
  began.high = {{log_begins_, 0}, {step.node, 0}};
  if (entered < entries()) began.high.push_back({entry(entered), lasts.shortest});
  return began;
}

// Something else explains the denial: another rule, or requests before the log.
void RuleTrack::add_other(const Step& step, const Way& way, Ways& ways) const {
  if (rule_.counts_denied)
    add_denied(step, way, ways);
  else
    ways.push_back(way);
}

void RuleTrack::add_denied(const Step& /*step*/, Way way, Ways& ways) const {
  if (rule_.counts_denied) way.change = Change::enter;
  ways.push_back(way);
}

void RuleTrack::commit(const Step& step, const Way& way) {
  done_.push_back({way.change != Change::none, way.block != BlockStart::none});
  if (way.block == BlockStart::here) blocks_.push_back(step.node);
  if (way.block == BlockStart::unseen)
    blocks_.push_back(frame_.instants->add(unseen(step, way.block_after, block(), block_lasts_)));
  if (done_.back().entered) enter(step, way);
}

void RuleTrack::undo() {
  if (done_.back().entered) leave();
  if (done_.back().blocked) blocks_.pop_back();
  done_.pop_back();
}

void RuleTrack::enter(const Step& step, const Way& /*way*/) {
  const std::int64_t before = entries_.empty() ? 0 : entries_.back().until;
  const bool counts = !step.denied || rule_.counts_denied;
  entries_.push_back({step.node, before + (counts ? step.cost : 0)});
}

void RuleTrack::leave() { entries_.pop_back(); }

std::unique_ptr<RuleTrack> make_track(const Rule& rule, const JudgeOptions& options,
                                      const JointFrame& frame, std::span<const HeldRequest> held) {
  if (rule.step_us > 0) return std::make_unique<StepsTrack>(rule, options, frame);
  if (rule.row().takes_capacity) return std::make_unique<BucketTrack>(rule, options, frame);
  if (rule.kind == RuleKind::first_hit)
    return std::make_unique<FirstHitTrack>(rule, options, frame);
  if (!rule.has_window()) return std::make_unique<HeldTrack>(rule, options, frame, held);
  return std::make_unique<WindowTrack>(rule, options, frame);
}

}  // namespace rlctl
