#include "verdict/track/rule_track.h"

#include <algorithm>
#include <utility>

#include "verdict/algorithm/window_rule.h"
#include "verdict/track/track_kinds.h"

namespace rlctl {

RuleTrack::RuleTrack(const Rule& rule, const JointFrame& frame)
    : rule_(rule),
      tolerance_(frame.tolerance_us * frame.scale),
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

std::unique_ptr<RuleTrack> make_track(const Rule& rule, const JointFrame& frame,
                                      std::span<const HeldRequest> held) {
  if (rule.step_us > 0) return make_steps_track(rule, frame);
  if (rule.row().takes_capacity) return make_bucket_track(rule, frame);
  if (rule.kind == RuleKind::first_hit) return make_first_hit_track(rule, frame);
  if (!rule.has_window()) return make_held_track(rule, frame, held);
  return make_window_track(rule, frame);
}

}  // namespace rlctl
