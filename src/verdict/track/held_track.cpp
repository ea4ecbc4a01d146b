#include <algorithm>
#include <map>
#include <utility>

#include "verdict/track/track_kinds.h"

namespace rlctl {
namespace {

struct Holder {
  Node end;  // when it ends
  std::int64_t cost;
};
using Holders = std::vector<Holder>;

// Every smallest set of holders that hold so much together, those at the front first.
class Sets {
 public:
  // All of a few; of many, only the likely ones.
  Sets(const Holders& from, std::int64_t needed) : from_(from), most_(from.size() <= 6 ? 30 : 3) {
    for (const Holder& holder : from_) left_ += holder.cost;
    extend(0, needed);
  }

  std::vector<Holders> take() { return std::move(all_); }
  bool is_complete() const { return all_.size() < most_; }

 private:
  void extend(std::size_t next, std::int64_t needed) {
    if (all_.size() >= most_) return;
    if (needed <= 0) return all_.push_back(chosen_);
    if (next == from_.size() || left_ < needed) return;
    const std::int64_t cost = from_[next].cost;
    left_ -= cost;
    chosen_.push_back(from_[next]);
    extend(next + 1, needed - cost);
    chosen_.pop_back();
    extend(next + 1, needed);
    left_ += cost;
  }

  const Holders& from_;
  std::size_t most_;
  std::int64_t left_ = 0;  // what those from `next` on hold
  Holders chosen_;
  std::vector<Holders> all_;
};

// A holder has ended when an admission needed its room; until then it may still be held, and a
// denial that the rule explains makes it last until then.
class HeldTrack : public RuleTrack {
 public:
  HeldTrack(const Rule& rule, const JointFrame& frame, std::span<const HeldRequest> held);

 protected:
  void room(const Step& step, Ways& ways) const override;
  void full(const Step& step, std::size_t entered, Ways& ways) const override;
  void enter(const Step& step, const Way& way) override;
  void leave() override;

 private:
  Node end_of(const HeldRequest& request) const;
  std::vector<Holders> choices(Holders holders, std::int64_t needed) const;

  std::map<Node, Holder> holder_of_;  // by request
  std::vector<Holders> held_;         // before all entries, and after each: who may not have ended
};

HeldTrack::HeldTrack(const Rule& rule, const JointFrame& frame, std::span<const HeldRequest> held)
    : RuleTrack(rule, frame), held_{{}} {
  for (const HeldRequest& request : held)
    holder_of_[request.node] = {end_of(request), request.held.cost};
}

// The end has a range of its own, and the lease cuts it.
Node HeldTrack::end_of(const HeldRequest& request) const {
  Instants& instants = *frame_.instants;
  const auto& [node, held] = request;
  if (rule_.lease_us == 0) {
    const Node end = instants.add(held.from, held.to);
    const bool possible = instants.require({.from = node, .to = end, .plus = held.least});
    return possible ? end : kNoNode;
  }
  const Instant lease = scaled(rule_.lease_us);
  const Instant shortest = lease - tolerance_;
  const Instant latest = std::min(held.to, instants.high(node) + lease + tolerance_);
  const Node end = instants.add(-kEver, latest);
  const bool possible =
      instants.require({.from = node, .to = end, .plus = shortest, .most = held.from}) &&
      instants.require({.from = node, .to = end, .plus = std::min(shortest, held.least)}) &&
      instants.require({.from = end, .to = node, .plus = -(lease + tolerance_)});
  return possible ? end : kNoNode;
}

std::vector<Holders> HeldTrack::choices(Holders holders, std::int64_t needed) const {
  Sets sets(holders, needed);
  if (!sets.is_complete()) frame_.instants->give_up();
  return sets.take();
}

// Some must have ended: first those that may have by then, and of them those that must soon.
void HeldTrack::room(const Step& step, Ways& ways) const {
  const Holder& own = holder_of_.at(step.node);
  if (own.end == kNoNode || own.cost > rule_.limit) return;
  const Instants& instants = *frame_.instants;
  Holders holders = held_.back();
  std::int64_t held = own.cost;
  for (const Holder& holder : holders) held += holder.cost;
  std::ranges::sort(holders, {}, [&](const Holder& holder) {
    return std::pair(std::max(instants.at(holder.end), at(step)), instants.high(holder.end));
  });
  for (const Holders& ended : choices(std::move(holders), held - rule_.limit)) {
    Way way;
    way.change = Change::enter;
    way.ended = ways.size();
    for (const Holder& holder : ended) way.with({.from = holder.end, .to = step.node});
    ways.push_back(std::move(way));
  }
}

// So many must still be held. Those that can last longest are taken first.
void HeldTrack::full(const Step& step, std::size_t entered, Ways& ways) const {
  const Instants& instants = *frame_.instants;
  const Instant latest = instants.high(step.node);
  Holders holders = held_[entered];
  std::ranges::sort(holders, std::greater{}, [&](const Holder& holder) {
    return std::pair(instants.at(holder.end) >= latest, instants.high(holder.end));
  });
  for (const Holders& needed : choices(std::move(holders), rule_.limit - step.cost + 1)) {
    Way way;
    for (const Holder& holder : needed)
      if (instants.at(holder.end) < latest) way.with({.from = step.node, .to = holder.end});
    add_denied(step, std::move(way), ways);
  }
}

void HeldTrack::enter(const Step& step, const Way& way) {
  RuleTrack::enter(step, way);
  Holders holders = held_.back();
  std::erase_if(holders, [&](const Holder& holder) {
    return std::ranges::count(way.bounds, holder.end, &Bound::from) > 0;
  });
  if (!step.denied) holders.push_back(holder_of_.at(step.node));
  held_.push_back(std::move(holders));
}

void HeldTrack::leave() {
  held_.pop_back();
  RuleTrack::leave();
}

}  // namespace

std::unique_ptr<RuleTrack> make_held_track(const Rule& rule, const JointFrame& frame,
                                           std::span<const HeldRequest> held) {
  return std::make_unique<HeldTrack>(rule, frame, held);
}

}  // namespace rlctl
