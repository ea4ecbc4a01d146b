// The search through an ExploreSpace, cheapest schedules first. A preemption (a switch to another
// client while the last one has steps left, and is not at its work between its decision and its
// finish) costs more than any number of steps. So the first schedule found has the fewest
// preemptions, and among those the fewest steps. A search that stops early has covered all
// schedules with fewer preemptions than those it was exploring.
// Source: Musuvathi, Qadeer: Iterative context bounding for systematic testing of multithreaded
// programs (PLDI 2007); here visited states are stored, as in stateful model checking.
//
// Borrows the space. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "run/explore/space.h"

namespace rlctl {

// The goals of a search: bit n of the result is set if goal n is reached in this state.
using ExploreGoals = std::function<std::uint32_t(ExploreSpace::State)>;
inline constexpr std::size_t kMostExploreGoals = 5;

struct FoundSchedule {
  std::vector<Choice> choices;
  std::int64_t preemptions = 0;
};

// The last client matters only while it can go on; else it is kNobody.
struct ExploreNode {
  static constexpr std::uint8_t kNobody = 0xff;
  ExploreSpace::State state = 0;
  std::uint8_t last = kNobody;

  std::uint64_t id() const { return std::uint64_t{state} << 8 | last; }
  static ExploreNode of(std::uint64_t id) {
    return {static_cast<ExploreSpace::State>(id >> 8), static_cast<std::uint8_t>(id)};
  }
};

class ExploreSearch {
 public:
  // Explores about `most_states` states at most.
  ExploreSearch(ExploreSpace& space, std::size_t most_states)
      : space_(space), most_states_(most_states) {}

  void run(const ExploreGoals& goals);

  bool is_exhaustive() const { return is_exhaustive_; }
  // All schedules with at most this many preemptions were explored; -1: not even all without any.
  std::int64_t preemptions_covered() const { return preemptions_covered_; }
  const std::optional<FoundSchedule>& found(std::size_t goal) const { return found_[goal]; }

  std::size_t states() const { return edges_.size(); }
  std::size_t steps() const { return steps_; }  // executed commands and events
  // Paths from a branching point to the next known state, or to the end.
  std::size_t runs() const { return steps_ - inner_states_ + 1; }

  // The edges of a state that was explored.
  const std::vector<ExploreSpace::Edge>& edges(ExploreSpace::State state);
  // The node that a choice leads to, and whether the choice is a preemption.
  struct Move {
    ExploreNode to;
    bool preempts = false;
    std::uint8_t alike = 1;
  };
  Move move(const ExploreNode& from, const ExploreSpace::Edge& edge);

 private:
  struct Reached {
    std::int32_t preemptions = 0, steps = 0;
    std::uint64_t from = 0;
    Choice choice;
  };
  bool can_continue(ExploreSpace::State state, std::uint8_t client);
  void keep(const ExploreNode& node, std::uint32_t goals);
  FoundSchedule schedule_to(const ExploreNode& node) const;

  ExploreSpace& space_;
  std::size_t most_states_;
  std::unordered_map<ExploreSpace::State, std::vector<ExploreSpace::Edge>> edges_;
  std::unordered_map<std::uint64_t, Reached> reached_;
  std::optional<FoundSchedule> found_[kMostExploreGoals];
  std::size_t steps_ = 0, inner_states_ = 0;
  std::int64_t preemptions_covered_ = -1;
  bool is_exhaustive_ = false;
};

}  // namespace rlctl
