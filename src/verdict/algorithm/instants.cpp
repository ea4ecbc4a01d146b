#include "verdict/algorithm/instants.h"

#include <algorithm>

namespace rlctl {

Instant Bound::least(Instant at) const {
  switch (via) {
    case Via::plus:
      return std::min(at + plus, most);
    case Via::end:
      return window->end(at);
    case Via::count:
      return window->earliest_counting_at(at);
  }
  return at;
}

std::vector<Bound> Gap::bounds() const {
  std::vector<Bound> all;
  for (const End& from : low)
    for (const End& to : high)
      if (from.node != to.node)
        all.push_back({.from = from.node, .to = to.node, .plus = from.plus + to.plus});
  return all;
}

Node Instants::add(Instant low, Instant high) {
  nodes_.push_back({low, high});
  return static_cast<Node>(nodes_.size() - 1);
}

Node Instants::add(const Gap& gap) {
  constexpr Instant kEver = std::numeric_limits<Instant>::max() / 4;
  const Node node = add(-kEver, kEver);
  for (const Gap::End& from : gap.low) require({.from = from.node, .to = node, .plus = from.plus});
  for (const Gap::End& to : gap.high) require({.from = node, .to = to.node, .plus = to.plus});
  return node;
}

bool Instants::raise(Node node, Instant to, Node by) {
  State& state = nodes_[node];
  if (to <= state.at) return true;
  changes_.push_back({node, state.at});
  state.at = to;
  state.raises = state.round == round_ ? state.raises + 1 : 1;
  state.round = round_;
  state.raised_by = by;
  waiting_.push_back(node);
  return to <= state.high;
}

// A chain of differences that raises its own beginning never ends.
bool Instants::raises_itself(Node node) const {
  Node by = nodes_[node].raised_by;
  for (std::size_t i = 0; i < nodes_.size() && by != kNoNode; ++i) {
    if (by == node) return true;
    if (nodes_[by].round != round_) return false;
    by = nodes_[by].raised_by;
  }
  return false;
}

bool Instants::propagate() {
  constexpr std::uint32_t kSuspicious = 4;
  std::size_t steps = 0;
  const std::size_t most = 1000 + 64 * nodes_.size();
  for (std::size_t next = 0; next < waiting_.size(); ++next) {
    const Node node = waiting_[next];
    if (only_differences_ && nodes_[node].raises > kSuspicious && raises_itself(node)) return false;
    if (++steps > most) {
      gave_up_ = true;
      return false;
    }
    for (std::uint32_t e = nodes_[node].first_edge; e != kNone; e = edges_[e].next) {
      const Bound& bound = edges_[e].bound;
      if (!raise(bound.to, bound.least(nodes_[node].at), node)) return false;
    }
  }
  return true;
}

bool Instants::require(const Bound& bound) {
  edges_.push_back({bound, nodes_[bound.from].first_edge});
  nodes_[bound.from].first_edge = static_cast<std::uint32_t>(edges_.size() - 1);
  const bool is_aligned = bound.window != nullptr && bound.window->is_aligned();
  const bool is_capped = bound.most != std::numeric_limits<Instant>::max();
  if (is_aligned || is_capped) only_differences_ = false;
  waiting_.clear();
  ++round_;
  return raise(bound.to, bound.least(at(bound.from)), kNoNode) && propagate();
}

void Instants::undo_to(const Mark& mark) {
  for (; changes_.size() > mark.changes; changes_.pop_back())
    nodes_[changes_.back().node].at = changes_.back().before;
  for (; edges_.size() > mark.edges; edges_.pop_back())
    nodes_[edges_.back().bound.from].first_edge = edges_.back().next;
  nodes_.resize(mark.nodes, State{0, 0});
}

}  // namespace rlctl
