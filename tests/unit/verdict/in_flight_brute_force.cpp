#include "unit/verdict/in_flight_brute_force.h"

#include <algorithm>
#include <set>

namespace brute {
namespace {

using rlctl::Outcome;

constexpr std::int64_t kPending = -1;
constexpr std::int64_t kDone = -2;

class Orders {
 public:
  Orders(const std::vector<Held>& operations, const InFlightRule& rule)
      : ops_(operations), rule_(rule) {
    for (const Held& op : ops_) {
      const bool may_act_late = op.outcome == Outcome::unknown;
      last_ = std::max(last_, may_act_late ? std::min(op.high, op.low + 1) : op.high);
      if (op.to < kNever) last_ = std::max(last_, op.to);
    }
    for (const Held& op : ops_)
      if (op.outcome != Outcome::unknown) last_ = std::max(last_, op.high);
  }

  bool any() {
    State state;
    state.now = 0;
    state.of.assign(ops_.size(), kPending);
    return from(state);
  }

 private:
  // For each operation: not decided, the instant since which it is held, or over.
  struct State {
    std::int64_t now = 0;
    std::vector<std::int64_t> of;
    bool operator<(const State& other) const {
      return now != other.now ? now < other.now : of < other.of;
    }
  };

  std::int64_t depth(const State& state) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < ops_.size(); ++i)
      if (state.of[i] >= 0) sum += ops_[i].cost;
    return sum;
  }

  std::int64_t latest_end(std::size_t i, const State& state) const {
    return rule_.lease > 0 ? std::min(ops_[i].to, state.of[i] + rule_.lease + rule_.tolerance)
                           : ops_[i].to;
  }
  std::int64_t earliest_end(std::size_t i, const State& state) const {
    // An unanswered request may have ended in an error, at any time.
    const std::int64_t least = ops_[i].outcome == Outcome::unknown ? 0 : rule_.least;
    const std::int64_t end = std::max(ops_[i].from, state.of[i] + least);
    return rule_.lease > 0 ? std::min(end, state.of[i] + rule_.lease - rule_.tolerance) : end;
  }

  // Whether time may go on: nothing that had to happen by now is open.
  bool may_go_on(const State& state) const {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const bool optional = ops_[i].outcome == Outcome::unknown;
      if (state.of[i] == kPending && !optional && ops_[i].high <= state.now) return false;
      if (state.of[i] >= 0 && latest_end(i, state) <= state.now) return false;
    }
    return true;
  }

  bool from(const State& state) {
    if (state.now > last_) return true;
    if (!seen_.insert(state).second) return false;
    for (std::size_t i = 0; i < ops_.size(); ++i)
      if (act(i, state)) return true;
    if (!may_go_on(state)) return false;
    State next = state;
    ++next.now;
    return from(next);
  }

  bool act(std::size_t i, State next) {
    const Held& op = ops_[i];
    std::int64_t& of = next.of[i];
    if (of == kDone) return false;
    if (of >= 0) {
      if (next.now < earliest_end(i, next)) return false;
      of = kDone;
      return from(next);
    }
    if (next.now < op.low || next.now > op.high) return false;
    if (op.outcome == Outcome::denied) {
      const bool may_be_unseen = next.now < rule_.unseen_until;
      if (!may_be_unseen && depth(next) + op.cost <= rule_.limit) return false;
      of = kDone;
    } else {
      if (depth(next) + op.cost > rule_.limit) return false;
      of = next.now;
      if (op.to < next.now) return false;
    }
    return from(next);
  }

  const std::vector<Held>& ops_;
  const InFlightRule& rule_;
  std::int64_t last_ = 0;
  std::set<State> seen_;
};

}  // namespace

bool some_order_keeps(const std::vector<Held>& operations, const InFlightRule& rule,
                      bool with_denials) {
  std::vector<Held> ops;
  for (const Held& op : operations)
    if (op.outcome != Outcome::failed && (with_denials || op.outcome != Outcome::denied))
      ops.push_back(op);
  return Orders(ops, rule).any();
}

}  // namespace brute
