#include "run/explore/search.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace rlctl {

const std::vector<ExploreSpace::Edge>& ExploreSearch::edges(ExploreSpace::State state) {
  const auto [place, is_new] = edges_.try_emplace(state);
  if (is_new) {
    place->second = space_.edges(state);
    steps_ += place->second.size();
    if (!place->second.empty()) ++inner_states_;
  }
  return place->second;
}

bool ExploreSearch::can_continue(ExploreSpace::State state, std::uint8_t client) {
  const Choice wanted{Choice::Kind::client, client};
  const auto& all = edges(state);
  return std::any_of(all.begin(), all.end(),
                     [&](const ExploreSpace::Edge& edge) { return edge.choice == wanted; });
}

// An event does not change which client ran last.
ExploreSearch::Move ExploreSearch::move(const ExploreNode& from, const ExploreSpace::Edge& edge) {
  const bool is_client = edge.choice.kind == Choice::Kind::client;
  const std::uint8_t last = is_client ? edge.choice.index : from.last;
  Move move;
  move.alike = edge.alike;
  move.preempts = is_client && from.last != ExploreNode::kNobody && from.last != last;
  const bool goes_on = last != ExploreNode::kNobody && can_continue(edge.to, last) &&
                       !space_.is_holding(edge.to, last);
  move.to = {edge.to, goes_on ? last : ExploreNode::kNobody};
  return move;
}

void ExploreSearch::run(const ExploreGoals& goals) {
  using Entry = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  const std::uint64_t first = ExploreNode{space_.first(), ExploreNode::kNobody}.id();
  reached_[first] = {};
  waiting.emplace(0, 0, first);
  while (!waiting.empty()) {
    const auto [preemptions, steps, id] = waiting.top();
    waiting.pop();
    const Reached& reached = reached_.at(id);
    if (std::tie(reached.preemptions, reached.steps) < std::tie(preemptions, steps)) continue;
    preemptions_covered_ = preemptions - 1;
    if (edges_.size() > most_states_) return;
    const ExploreNode node = ExploreNode::of(id);
    keep(node, goals(node.state));
    const std::vector<ExploreSpace::Edge> all = edges(node.state);
    for (const ExploreSpace::Edge& edge : all) {
      const Move next = move(node, edge);
      const Reached way{preemptions + (next.preempts ? 1 : 0), steps + 1, id, edge.choice};
      const auto [place, is_new] = reached_.try_emplace(next.to.id(), way);
      if (!is_new && std::tie(place->second.preemptions, place->second.steps) <=
                         std::tie(way.preemptions, way.steps))
        continue;
      place->second = way;
      waiting.emplace(way.preemptions, way.steps, next.to.id());
    }
    if (waiting.empty()) preemptions_covered_ = preemptions;
  }
  is_exhaustive_ = true;
}

// Keeps the first schedule for each goal: it is the cheapest.
void ExploreSearch::keep(const ExploreNode& node, std::uint32_t goals) {
  for (std::size_t goal = 0; goal < kMostExploreGoals; ++goal)
    if ((goals >> goal & 1) != 0 && !found_[goal]) found_[goal] = schedule_to(node);
}

FoundSchedule ExploreSearch::schedule_to(const ExploreNode& node) const {
  FoundSchedule schedule;
  schedule.preemptions = reached_.at(node.id()).preemptions;
  for (std::uint64_t id = node.id(); reached_.at(id).steps > 0; id = reached_.at(id).from)
    schedule.choices.push_back(reached_.at(id).choice);
  std::reverse(schedule.choices.begin(), schedule.choices.end());
  return schedule;
}

}  // namespace rlctl
