#include "run/explore/count.h"

#include <algorithm>
#include <unordered_map>

namespace rlctl {
namespace {

using Counts = std::vector<ScheduleCounts>;

class Counter {
 public:
  Counter(ExploreSearch& search, const ExploreSpace& space, const EndJudge& judge, CountBy by)
      : search_(search), space_(space), judge_(judge), by_(by) {}

  // Counts children before parents, without recursion, because schedules can be long.
  const Counts& count(const ExploreNode& first) {
    std::vector<std::uint64_t> open{first.id()};
    while (!open.empty()) {
      const std::uint64_t id = open.back();
      if (counted_.contains(id)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      for (const ExploreSearch::Move& move : moves(id))
        if (!counted_.contains(move.to.id())) open.push_back(move.to.id());
      if (open.size() > before) continue;
      counted_.emplace(id, sum(id));
      open.pop_back();
    }
    return counted_.at(first.id());
  }

 private:
  std::vector<ExploreSearch::Move> moves(std::uint64_t id) {
    const ExploreNode node = ExploreNode::of(id);
    std::vector<ExploreSearch::Move> all;
    for (const ExploreSpace::Edge& edge : search_.edges(node.state))
      all.push_back(search_.move(node, edge));
    return all;
  }

  Counts sum(std::uint64_t id) {
    const ExploreNode node = ExploreNode::of(id);
    if (space_.is_final(node.state)) return {judge_(node.state)};
    Counts total;
    for (const ExploreSearch::Move& move : moves(id)) {
      const Counts& rest = counted_.at(move.to.id());
      const std::size_t shift = move.preempts && by_ == CountBy::preemptions ? 1 : 0;
      total.resize(std::max(total.size(), rest.size() + shift));
      for (std::size_t i = 0; i < rest.size(); ++i)
        for (std::uint8_t n = 0; n < move.alike; ++n) total[i + shift] += rest[i];
    }
    return total;
  }

  ExploreSearch& search_;
  const ExploreSpace& space_;
  const EndJudge& judge_;
  CountBy by_;
  std::unordered_map<std::uint64_t, Counts> counted_;
};

}  // namespace

std::vector<ScheduleCounts> count_schedules(ExploreSearch& search, const ExploreSpace& space,
                                            const EndJudge& judge, CountBy by) {
  return Counter(search, space, judge, by).count({space.first(), ExploreNode::kNobody});
}

}  // namespace rlctl
